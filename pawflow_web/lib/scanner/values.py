"""Whether a value could really be a secret: checksums, randomness, placeholders."""

# ruff: noqa: E501 - a rule is one line of data

import math
import re
from collections import Counter
from itertools import pairwise

_PLACEHOLDER = re.compile(
    r"^(?:x{3,}|\*{2,}|•+|\.{2,}|_{2,}|-{2,}|<.*|\{.*|\[.*|\$.*|%.*|@.*|\(.*|"
    r"(?:your|my|the|some|new|old|example|sample|dummy|fake|test|placeholder|change|insert|enter|put|todo|tbd|redacted|removed|hidden|masked)[-_ ]?[a-z_-]*|"
    r"changeme|none|null|nil|true|false|undefined|empty|unset|n/a|"
    r"pass(?:word|wd)?|pwd|secret|token|key|apikey|api[-_]key|user(?:name)?|admin:?|abc123|foobar|string|str|value)$",
    re.IGNORECASE,
)
# Words with digits that name a technique, a version or a measure.
_TECHNICAL = re.compile(
    r"^(?:(?:sha|md|aes|rsa|ed|utf|base|oauth|http|tls|ssl|ipv|bcrypt|scrypt|argon|hs|rs|es|ps|rc|ripemd|blake|totp|hotp|fido|webauthn|pbkdf|pkcs|curve|secp|cl|gpt|web|log)[-_]?\d[\w.-]{0,14}|"
    r"[xkspoul][-_]?\d{1,5}(?:[a-z]{0,2}\d?|[.-][\w.-]{1,12})|"
    r"\d{1,4}(?:st|nd|rd|th|x|k|kb|mb|gb|ms|s|h|d|m|min|hours?|days?|weeks?|months?|chars?|bytes?|bits?|-\w{2,16})|v?\d+(?:\.\d+)+\S{0,8}|"
    r"(?:jwt|jws|jwe|hmac|oidc|saml)[-_/]?[\w.-]{0,14}|\d{4}-\d\d-\d\d\S{0,16}|1password|keepass\w{0,3}|auth0|k8s|i18n|l10n|s3|ec2|vault\d?|y2k)$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^(?:os\.|process\.|env[.\[:]|config\.|settings\.|self\.|this\.|secrets?\.|vault[:.]|ref:|op://|file:|https?://|arn:|projects/|/|\./|\.\./|~/)|\(|\)$|::|->"
)
_SYMBOL = re.compile(r"[!@#$%^&*+=?~|]")
_REF = re.compile(r"#?[0-9a-f]{12}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.match(value.strip("\"'`")) is not None or len(set(value)) <= 2


def plausible(value: str) -> bool:
    """Whether an unquoted value could be a password or token: letters mixed with digits or symbols, and neither a
    placeholder, a technical word, a reference into a vault, a path nor code."""
    if is_placeholder(value) or _TECHNICAL.match(value) or _CODE.search(value) or _UUID.fullmatch(value):
        return False
    letters = any(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    return letters and (digits or _SYMBOL.search(value) is not None)


def is_own_ref(value: str) -> bool:
    return _REF.fullmatch(value) is not None


def is_random(value: str) -> bool:
    """Whether a long value looks drawn at random: hex of 32 digits or more, or mixed letters and digits."""
    if _UUID.fullmatch(value) or is_placeholder(value) or _CODE.search(value):
        return False
    if re.fullmatch(r"[0-9a-fA-F]+", value):
        return len(value) >= 32 and entropy(value) >= 3.0
    kinds = sum((any(c.islower() for c in value), any(c.isupper() for c in value), any(c.isdigit() for c in value)))
    # Random text changes between letters and digits often; names with a number in them do not.
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
    return kinds == 3 and changes >= 4 and entropy(value) >= 3.5


def luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + index % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"(?:6011|65\d\d|64[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)


def is_card(digits: str) -> bool:
    """A number of an issuer known by its first digits, with a right check digit."""
    return _ISSUERS.fullmatch(digits) is not None and len(set(digits)) > 1 and luhn(digits)


_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "AZ": 28, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24,
    "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MT": 31, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "XK": 20,
}  # fmt: skip


def is_iban(value: str) -> bool:
    """Length of the country and check digits (ISO 13616, ISO 7064 mod 97-10)."""
    bare = value.replace(" ", "").upper()
    if _IBAN_LENGTHS.get(bare[:2]) != len(bare) or not bare.isascii() or not bare.isalnum():
        return False
    return int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1


def is_cpf(value: str) -> bool:
    """The two check digits of a Brazilian CPF."""
    digits = [int(c) for c in value if c.isdigit()]
    if len(digits) != 11 or len(set(digits)) == 1:
        return False
    for size in (9, 10):
        total = sum(digit * (size + 1 - n) for n, digit in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != digits[size]:
            return False
    return True
