"""Classes of characters, as the inside of a regular expression's brackets."""

import unicodedata
from collections.abc import Iterable

# Unicode's Default_Ignorable_Code_Point and the interlinear marks: they draw nothing. The Arabic and Kaithi
# number signs are of category Cf too, but visible, and therefore not here.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Scripts in which a joiner between two letters changes what the reader sees (Arabic, Syriac, N'Ko, Indic, ...).
JOINING = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1aaf\u1b00-\u1c4f\ua800-\uabff"
# Written without spaces between words: Han, Kana, Bopomofo, Thai, Lao, Myanmar, Khmer, Tibetan, Yi, Tai Tham.
DENSE = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1a20-\u1aad\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    "\u3038-\u303c\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff"


def _ranges(numbers: Iterable[int]) -> str:
    """Consecutive code points as the inside of a character class."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


# Combining marks belong to the letter before them, which Python's \w does not know.
EVERY_MARK = frozenset(c for c in map(chr, range(0x300, 0x1F000)) if unicodedata.category(c) in {"Mn", "Mc", "Me"})
MARKS = _ranges(sorted(map(ord, EVERY_MARK)))
# Drawn over or around the letter before them. No spelling of a language needs them.
OVERLAYS = "\u0334-\u0338\u0488\u0489\u1abe\u20d0-\u20f0"
# Marks that a letter of the Latin, Greek or Cyrillic alphabet may carry.
ACCENTS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"


def _lookalikes(*pairs: tuple[str, str]) -> dict[int, str]:
    return {
        ord(foreign): latin for letters, resembled in pairs for foreign, latin in zip(letters, resembled, strict=True)
    }


# Letters of other alphabets that pass for a Latin one, in the case in which they do: a capital Eta is an H, a small
# one an n.
LOOKALIKES = _lookalikes(
    ("абвгекмнопрстухьіїјёѕѡѵүғқӏөԁԍԛԝһҽ", "abbrekmhonpctyxbiijeswvyfkiodgqwhe"),
    ("АВГЕКМНОРСТУХЬІЇЈЁЅѠѴҮҒҚӀӨԀԌԚԜҺ", "ABrEKMHOPCTYXbIIJESWVYFKIODGQWh"),
    ("αάβγεέηήιίϊκμνοόρτυύϋχωώϲϳ", "aabyeenniiikuvooptuuuxwwcj"),
    ("ΑΆΒΕΈΖΗΉΙΊΪΚΜΝΟΌΡΤΥΎΫΧϹͿ", "AABEEZHHIIIKMNOOPTYYYXCJ"),
    ("ագզհյլնոռսցքօՕՍՏԼՈ", "wqqhjlunnugpoOUSLn"),
    ("ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᎾᏀᏂᏃᏅᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ", "DRTiYAJEWMHYOGhZObRWSVSLCPKdGB"),
    ("ꭰꭱꭲꭵꭹꭺꭻꭼꮃꮇꮋꮍꮎꮐꮒꮓꮕꮟꮢꮤꮥꮩꮪꮮꮯꮲꮶꮷᏻᏼ", "drtiyajewmhyoghzobrwsvslcpkdgb"),
    ("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU"),
    ("ⲁⲉⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ", "aeikmnopctyx"),
)  # fmt: skip
# Latin letters of another shape: small capitals and the script forms of phonetics.
SMALL_CAPITALS = _lookalikes(("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢɑɡɩ", "abcdefghijklmnopqrstuvwyzagi"))
