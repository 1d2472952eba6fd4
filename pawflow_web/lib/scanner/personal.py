"""Personal data, on purpose narrow: only what cannot well be anything else."""

# ruff: noqa: E501 - a rule is one line of data

import re

from pawflow_web.lib.scanner.matching import Pattern, pattern
from pawflow_web.lib.scanner.values import is_cpf, is_iban

_NOT_A_PERSON = re.compile(
    r"(?:order|invoice|part|serial|model|sku|ticket|case|tracking|version|ext(?:ension)?)\W{0,3}(?:(?:no|number|id|nr)\W{0,3})?$"
)

_CONDITIONS = (
    r"(?:type [12] )?diabet(?:es|ic)|(?:\w{1,12} )?cancer|leuk(?:a)?emia|lymphoma|(?:clinical |major |chronic )?depression|bipolar(?: disorder)?|schizophreni[ac]|"
    r"epilep(?:sy|tic)|hiv(?:[ -]positive)?|aids|hepatitis(?: [abc])?|multiple sclerosis|parkinson'?s?(?: disease)?|alzheimer'?s?(?: disease)?|dementia|crohn'?s?(?: disease)?|"
    r"lupus|anorexia|bulimia|ptsd|adhd|autis(?:m|tic)|tuberculosis|endometriosis|asthma|a heart condition|an eating disorder|an anxiety disorder"
)
_WHO = r"(?:i|he|she|they|user|mother|father|mum|mom|dad|wife|husband|partner|son|daughter|brother|sister|patient|child|[a-z]{2,20})"


def _not_other_number(match: re.Match[str]) -> bool:
    return _NOT_A_PERSON.search(match.string, max(0, match.start() - 30), match.start()) is None


def _has_digits(match: re.Match[str]) -> bool:
    return len(re.findall(r"\d", match["value"])) >= 5


PATTERNS: tuple[Pattern, ...] = (
    pattern(
        "social_security_number",
        "low",
        "-",
        r"(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])(?!\.\d)",
        _not_other_number,
    ),
    pattern(
        "social_security_number",
        "low",
        "ssn|social security",
        r"\b(?:ssn|social security (?:number|no\.?))\b\W{0,3}(?:is\W{1,2})?(?P<value>\d{3} ?\d{2} ?\d{4})(?!\d)",
        group=1,
    ),
    pattern(
        "iban",
        "plain",
        "0|1|2|3|4|5|6|7|8|9",
        r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])",
        lambda m: is_iban(m[0]),
    ),
    pattern(
        "identity_document",
        "low",
        "passport|reisepass|passeport|pasaporte|passaporto|passaporte|паспорт|pasaport|护照|driver|driving licen|fuhrerschein|national id|personalausweis|id card|nhs number|kimlik|aadhaar|护照号",
        r"(?:passport|reisepass\w{0,8}|passeport|pasaporte|passaporto|passaporte|паспорт\w{0,3}|pasaport\w{0,2}|护照\w{0,2}|driver'?s? licen[cs]e|driving licen[cs]e|fuhrerschein\w{0,8}|national id(?:entity)?(?: card)?|personalausweis\w{0,8}|id card|nhs number|t\.?c\.? kimlik|kimlik|aadhaar)"
        r"\W{0,3}(?:(?:no|nr|number|num|nummer|numero|номер|numarasi|号|is|ist|est|es|id|card|de)\b\W{0,3}){0,3}[:：#]?\s{0,2}(?P<value>[a-z]{0,3} ?\d[a-z0-9 ]{4,12}\d)(?![\w])",
        _has_digits,
        group=1,
    ),
    pattern("identity_document", "low", "-", r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)", lambda m: is_cpf(m[0])),
    pattern(
        "health",
        "low",
        "diagnos|suffer|has |have |had |living with|being treated|hiv|pregnan",
        rf"\b(?:diagnosed with|suffer(?:s|ing)? from|living with|being treated for|treated for)\b (?:a |an |severe |mild |early[- ]stage |stage \w{{1,3}} )?(?:{_CONDITIONS})\b(?!-)|"
        rf"\b(?:i have|i've got|(?:he|she|user|(?:my|his|her|their|user's) \w{{2,12}}) has) (?:been )?(?:{_CONDITIONS})\b(?!-)|\b(?:i'?m|i am|is|tested) hiv[ -]positive\b|"
        rf"\b(?:(?:i'?m|i am|she is|she's|user is|(?:my|his|her|user's) \w{{2,12}} is)) (?:\w{{1,10}} (?:weeks|months) )?pregnant\b",
    ),
    pattern(
        "health",
        "low",
        "диагноз|diagnosti|diyabet|糖尿病|抑郁症|癌|depression",
        r"(?:диагностирован\w{0,3}|поставили диагноз|болеет|болен) (?:диабет|рак|депресси|эпилепси|вич)|(?:leidet an|erkrankt an|diagnose:?) (?:diabetes|krebs|depression\w{0,2}|epilepsie|hiv)|(?:确诊|患有|被诊断)\w{0,6}?(?:糖尿病|抑郁症|癌症?|艾滋病|肝炎)",
    ),
    pattern(
        "income",
        "low",
        "salary|income|net worth|earns|debt|gehalt",
        r"\b(?:my|his|her|their|user'?s|(?:the )?user'?s?) (?:\w{1,10} )?(?:salary|income|net worth|take-home pay|debt) (?:is|of|was|=|:)?\s?(?:about |around )?(?:[$€£¥₹]|usd|eur|gbp|chf)? ?\d[\d.,]{2,12}k?\b|"
        r"\b(?:i|he|she|user) earns? (?:about |around )?(?:[$€£¥₹]|usd |eur |gbp |chf )?\d[\d.,]{2,12}k? ?(?:[$€£¥₹]|usd|eur|gbp|chf)? (?:a|per) (?:year|month|annum)\b",
    ),
)
