"""Instruction overrides, language by language, matched on the ``low`` view (lower case, Latin without accents).

Gaps are short and stop at the end of a sentence, so that the words must belong together.
"""

# ruff: noqa: E501 - a rule is one line of data

import re
import unicodedata

from pawflow_web.lib.scanner.matching import Pattern, pattern

_SEP = r"[\W_]{1,4}"
_GAP = rf"(?:{_SEP}\w{{1,14}}){{0,3}}?{_SEP}"
_WHICH = r"(?:all|any|every|previous|prior|above|earlier|preceding|foregoing|former|existing|original|your|system|these|those)"
_TEXTS = r"(?:instructions?|prompts?|directives?|guidelines?|directions|programming)"

# Somebody tells of an override, or forbids it: "told to ignore ...", "never ignore ...".
_REPORTED = re.compile(
    r"(?:\b(?:told|asked|asking|tells?|telling|instructed|ordered|invited|tried|tries|trying|attempts?|attempted|"
    r"refus\w{1,4}|claims?|how|not|never|don'?t|cannot|can'?t|won'?t|must ?n[o']t|should ?n[o']t|would)\W{1,2}(?:to\W)?|\bnot\W(?:be\W)?)$"
)


def not_reported(match: re.Match[str]) -> bool:
    return _REPORTED.search(match.string, max(0, match.start() - 24), match.start()) is None


def _gap(chars: int) -> str:
    return rf"[^.!?。！？।\n]{{0,{chars}}}?"


def _override(near: str, expression: str) -> Pattern:
    # The views are NFKC, which takes some Thai and Devanagari letters apart; so must the expressions be.
    near, expression = (unicodedata.normalize("NFKC", part) for part in (near, expression))
    return pattern("instruction_override", "low", near, expression)


_VERBS = r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overrule|neglect|discard|bypass|(?:do not|don'?t|stop|cease) (?:follow|obey|heed)(?:ing)?|pay no attention to)\b"

_ENGLISH_NEAR = "ignor|disregard|forget|overrid|overrule|neglect|discard|bypass|follow|obey|heed|attention"
_ENGLISH = (
    (_ENGLISH_NEAR, rf"{_VERBS}{_GAP}{_WHICH}(?![^\W_])(?:{_SEP}\w{{1,14}}){{0,2}}?{_SEP}{_TEXTS}\b"),
    (
        _ENGLISH_NEAR,
        rf"{_VERBS}{_SEP}(?:the{_SEP})?{_TEXTS}{_SEP}(?:above|before|so far|you (?:were|have been) given|i gave|given)\b",
    ),
    (
        "ignor|disregard|forget",
        rf"\b(?:ignore|disregard|forget){_SEP}(?:(?:all|any|everything|anything|whatever|the|of|what){_SEP}){{0,3}}(?:"
        rf"(?:above(?=\s{{0,2}}[.,;!:])|(?:previous|prior|above|earlier|preceding)(?=\W*$|\s{{0,2}}\n)|(?:previous|prior|above|earlier|preceding)(?={_SEP}(?:and|instead|conversation|context)\b))|"
        rf"(?:(?:rules|orders|commands){_SEP})?(?:that{_SEP})?you{_SEP}(?:were|have been|are|ve been){_SEP}(?:told|taught|given|instructed)\b)",
    ),
    (
        "ignor|disregard|forget|overrid",
        rf"\b(?:ignore|disregard|forget|override){_SEP}(?:(?:all|any|of|the){_SEP}){{0,3}}(?:previous|prior|earlier|your|system|safety)"
        rf"(?:{_SEP}\w{{1,12}})?{_SEP}(?:rules|commands|orders|constraints|restrictions|limits|context|messages|training)\b",
    ),
    ("disregard", rf"\bdisregard{_SEP}(?:any|all){_SEP}(?:of{_SEP})?(?:the{_SEP}|your{_SEP})?rules\b"),
    (
        "new |updated |system ",
        r"(?:^|\n)\W{0,4}(?:new|updated|system|revised) (?:system )?(?:instructions?|prompt|override)\s?:",
    ),
    ("system", r"\b(?:system prompt override|override the system prompt|begin (?:new )?system (?:prompt|message))\b"),
)

# (substrings of which one must occur, expression)
_LANGUAGES = (
    # German
    (
        "anweisung|instruktion|vorgabe|befehl|anleitung",
        rf"\b(?:ignorier\w{{0,3}}|vergiss|vergesst|vergessen sie|missachte\w?|uebergeh\w?|ubergeh\w?|verwirf|beachte\w? nicht){_gap(40)}"
        rf"(?:alle\w?|vorherige\w?|bisherige\w?|vorige\w?|obige\w?|fruhere\w?|vorangegangene\w?|vorstehende\w?|deine\w?|ihre\w?|system\w{{0,8}})\b{_gap(30)}"
        r"(?:anweisung|instruktion|vorgabe|befehl|anleitung)",
    ),
    # French
    (
        "instruction|consigne|directive",
        rf"\b(?:ignor(?:e|ez|er|ons)|oubli(?:e|ez|er)|ne ten(?:ez|ir) (?:pas|aucun) compte|ne tiens (?:pas|aucun) compte|meprise[zr]?){_gap(30)}"
        rf"(?:instructions|consignes|directives){_gap(20)}(?:precedent|anterieur|ci-dessus|d'avant|du systeme|initiale|recues)",
    ),
    (
        "instruction|consigne|directive",
        rf"\b(?:ignore[zr]?|oublie[zr]?){_gap(12)}\b(?:toutes|tes|vos) (?:les |tes |vos )?(?:instructions|consignes|directives)\b",
    ),
    # Spanish, Portuguese, Italian
    (
        "instruc|indicacion|ordenes|directric|orientac|ordens|istruzion|direttiv|diretriz",
        rf"\b(?:ignor(?:a|e|ad|en|ar|ate|i)|olvid(?:a|e|ad|ar)|descart(?:a|e)|no sigas|haz caso omiso de|hace caso omiso de|"
        rf"esquec(?:a|e|er)|desconsider(?:a|e|ar)|nao sig(?:a|as)|dimentica\w{{0,3}}|trascura){_gap(30)}"
        rf"(?:instruc\w{{3,6}}|indicaciones|ordenes|directrices|orientacoes|ordens|diretrizes|istruzioni|direttive){_gap(20)}"
        r"(?:anterior|previ|prece|de arriba|acima|sopra|del sistema|do sistema|iniciais|iniciales)",
    ),
    (
        "instruc|istruzion",
        rf"\b(?:ignor[aei]|olvid[ae]|esquec[ae]|desconsider[ae]|dimentica) (?:todas|tutte|suas|tus|sus|le tue)\b{_gap(14)}(?:instruc|istruzion)\w{{2,6}}",
    ),
    # Dutch, Polish, Czech, Swedish, Indonesian, Romanian
    (
        "instruct|opdracht|aanwijzing",
        rf"\b(?:negeer|vergeet){_gap(24)}(?:vorige|eerdere|voorgaande|bovenstaande|alle){_gap(14)}(?:instructies|opdrachten|aanwijzingen)",
    ),
    (
        "instrukcj|polecen|wytyczn",
        rf"\b(?:z?ignoruj(?:cie)?|zapomnij|pomin){_gap(24)}(?:poprzedni\w{{1,3}}|wczesniejsz\w{{1,3}}|powyzsz\w{{1,3}}|wszystki\w{{1,3}}){_gap(20)}(?:instrukcj|polecen|wytyczn)",
    ),
    (
        "instruk|prikaz|pokyn",
        rf"\b(?:ignoruj(?:te)?|zapomen(?:te)?|ignorera|glom|abaikan|lupakan){_gap(24)}(?:instruk\w{{2,6}}|prikazy|pokyny){_gap(16)}(?:predchoz|tidigare|sebelum|di atas)",
    ),
    (
        "instruk|prikaz|pokyn",
        rf"\b(?:ignoruj(?:te)?|zapomen(?:te)?|ignorera|glom){_gap(24)}(?:predchoz\w{{1,3}}|tidigare|alla){_gap(12)}(?:instruk|prikaz|pokyn)",
    ),
    (
        "instructiun",
        rf"\b(?:ignora(?:ti)?|uita(?:ti)?){_gap(24)}instructiunil\w{{1,3}}{_gap(12)}(?:anterioar|precedent)",
    ),
    # Danish, Norwegian, and Swedish beyond the above
    (
        "instruk|anvisning|retningslinj|ordre|direktiv|beskeder",
        rf"\b(?:ignorer\w?|glem|glom|overse|tilsidesæt|se bort fra|bortse fra|strunta i|folg ikke|ikke folg){_gap(24)}"
        rf"(?:alle|alla|tidligere|tidigare|forrige|foregaende|ovenstaende|overstaende|ovanstaende){_gap(24)}(?:instruk|anvisning|retningslinj|ordre|direktiv|beskeder)",
    ),
    (
        "ovenfor|ovenover|ovan",
        rf"\b(?:ignorer\w?|glem|glom|se bort fra|bortse fra){_gap(12)}(?:instruk|anvisning|retningslinj|ordre)\w{{1,8}}{_gap(12)}\b(?:ovenfor|ovenover|ovan)",
    ),
    # Finnish
    (
        "ohje|maaray|kasky",
        rf"\b(?:ohita|unohda|sivuuta|jata (?:\w{{1,10}} )?(?:huomiotta|huomioimatta)|ala (?:noudata|valita|huomioi)){_gap(24)}"
        rf"(?:aiem|aikaisem|edelli|kaikk|ylla|jarjestelma){_gap(30)}(?:ohje(?!lm)|maaray|kasky)",
    ),
    (
        "ohje|maaray|kasky",
        rf"\bjata{_gap(10)}(?:aiem|aikaisem|edelli){_gap(16)}(?:ohje(?!lm)|maaray|kasky)\w{{0,8}} (?:huomiotta|huomioimatta)",
    ),
    # Hungarian
    (
        "utasitas|instrukci|parancs|iranyelv",
        rf"\b(?:hagy\w{{1,4}} figyelmen kivul|felejts\w{{0,4}} el|mellozd|ne vedd figyelembe|ne kovesd|ignorald){_gap(24)}"
        rf"(?:korabbi|elozo|eddigi|fenti|osszes|minden|rendszer){_gap(24)}(?:utasitas|instrukci|parancs|iranyelv)",
    ),
    (
        "utasitas|instrukci|parancs|iranyelv",
        rf"(?:korabbi|elozo|eddigi|fenti|osszes){_gap(24)}(?:utasitas|instrukci|parancs|iranyelv)\w{{0,6}} (?:hagy\w{{1,4}} figyelmen kivul|felejts\w{{0,4}} el|ne vedd figyelembe)",
    ),
    # Greek (accents are already gone)
    (
        "οδηγι|εντολ|υποδειξ",
        rf"\b(?:αγνοησ\w{{1,3}}|αγνοειστε|ξεχασ\w{{1,3}}|ξεχνα|παραβλεψ\w{{1,3}}|μην? (?:ακολουθ|υπακου|λαβ)\w{{1,6}}){_gap(30)}"
        rf"(?:προηγουμεν|παραπανω|ανωτερω|ολες|ολων|αρχικ|συστηματ){_gap(24)}(?:οδηγι|εντολ|υποδειξ)",
    ),
    (
        "οδηγι|εντολ|υποδειξ",
        rf"\b(?:αγνοησ\w{{1,3}}|ξεχασ\w{{1,3}}|παραβλεψ\w{{1,3}}){_gap(10)}(?:οδηγι|εντολ|υποδειξ)\w{{1,5}}{_gap(12)}(?:παραπανω|ανωτερω|συστηματ)",
    ),
    # Bengali
    (
        "নির্দেশ|আদেশ",
        rf"(?:পূর্ববর্তী|আগের|পূর্বের|উপরের|সমস্ত|সকল|সব){_gap(24)}(?:নির্দেশ|আদেশ){_gap(16)}(?:উপেক্ষা|অগ্রাহ্য|অমান্য|ভুলে|এড়িয়ে)",
    ),
    # Russian, Ukrainian
    (
        "инструкци|указани|команд|распоряжени|правил|вказівк|інструкці",
        rf"(?:игнорируй|игнорировать|забудь|отмени|не обращай\w{{0,2}} внимания на|не следуй|ігноруй|забудь){_gap(24)}"
        rf"(?:предыдущ|прежн|прошл|вышеуказанн|вышестоящ|ранее|все |всех |свои|системн|попередн|усі |всі ){_gap(30)}"
        r"(?:инструкци|указани|команд|распоряжени|правил|вказівк|інструкці)",
    ),
    # Turkish
    (
        "talimat|yonerge|komut",
        rf"(?:onceki|yukaridaki|tum|butun|eski|sistem){_gap(24)}(?:talimat|yonerge|komut)\w{{0,8}}{_gap(16)}(?:yok ?say|gormezden gel|unut|dikkate alma|goz ?ardi et|boz|iptal et)",
    ),
    (
        "talimat|yonerge|komut",
        rf"(?:yok ?say|gormezden gel|unut|dikkate alma)\w{{0,3}}{_gap(12)}(?:onceki|yukaridaki|tum|butun){_gap(20)}(?:talimat|yonerge|komut)",
    ),
    # Vietnamese (accents are already gone)
    (
        "huong dan|chi dan|chi thi|lenh",
        rf"\b(?:bo qua|quen|phot lo|dung lam theo){_gap(30)}(?:huong dan|chi dan|chi thi|lenh|cau lenh){_gap(16)}(?:truoc|o tren|phia tren|he thong|ban dau)",
    ),
    # Chinese, Japanese, Korean
    (
        "忽略|忽视|无视|忘记|忘掉|不要理会|无需理会|忽視|無視|忘記|不要理會|不要遵守|不要遵循",
        r"(?:忽略|忽视|无视|忘记|忘掉|不要理会|无需理会|忽視|無視|忘記|不要理會|不要遵守|不要遵循)[^。！？\n]{0,12}?(?:之前|以前|先前|前面|以上|上面|上述|所有|一切|此前|全部|你的|系统|系統)[^。！？\n]{0,10}?"
        r"(?:指令|指示|说明|提示|规则|命令|要求|說明|規則)",
    ),
    (
        "指示|命令|指令|プロンプト|インストラクション|ルール",
        r"(?:以前|これまで|今まで|上記|前|すべて|全て|先ほど|システム)[^。！？\n]{0,14}?(?:指示|命令|指令|プロンプト|インストラクション|ルール)[^。！？\n]{0,8}?(?:無視|忘れ|従わない|破棄)",
    ),
    (
        "지시|명령|지침|프롬프트",
        r"(?:이전|위의|앞의|모든|기존|시스템)[^.!?\n]{0,14}?(?:지시|명령|지침|프롬프트)[^.!?\n]{0,8}?(?:무시|잊어|따르지)",
    ),
    # Arabic, Persian, Hebrew, Hindi
    (
        "تعليمات|أوامر|توجيهات",
        rf"(?:تجاهل|انس|اهمل|لا تتبع){_gap(20)}(?:التعليمات|تعليمات|الأوامر|أوامر|التوجيهات|توجيهات){_gap(20)}(?:السابق|أعلاه|المذكور)",
    ),
    ("تعليمات|أوامر", r"تجاهل (?:جميع|كل|كافة) (?:ال)?(?:تعليمات|أوامر)"),
    ("دستور", rf"دستور{_gap(24)}(?:قبلی|پیشین|بالا){_gap(16)}(?:نادیده|فراموش)"),
    (
        "הוראות|הנחיות",
        rf"(?:התעלם|התעלמי|התעלמו|שכח){_gap(16)}(?:ההוראות|הוראות|ההנחיות|הנחיות){_gap(12)}(?:הקודמות|הקודמת|לעיל|הנ\"ל)",
    ),
    ("निर्देश|आदेश", rf"(?:पिछले|पूर्व|ऊपर|सभी){_gap(20)}(?:निर्देश|आदेश){_gap(16)}(?:अनदेखा|नज़रअंदाज|नजरअंदाज|भूल|अनदेखी)"),
    ("คำสั่ง", r"(?:ละเว้น|เพิกเฉย|ไม่ต้องสนใจ|ลืม|ไม่สนใจ)[^\n]{0,14}?คำสั่ง[^\n]{0,14}?(?:ก่อนหน้า|ข้างต้น|ทั้งหมด|ที่ผ่านมา)"),
)

ENGLISH_NEAR = tuple(_ENGLISH_NEAR.split("|"))
ENGLISH: tuple[Pattern, ...] = tuple(
    pattern("instruction_override", view, near, expression, not_reported)
    for view in ("low", "bare")
    for near, expression in _ENGLISH
)
PATTERNS: tuple[Pattern, ...] = (*ENGLISH, *(_override(near, expression) for near, expression in _LANGUAGES))
