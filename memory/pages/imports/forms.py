"""Forms for a memory file: to look through, or to import."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from memory.importers.checkup import BYTES_MOST
from memory.importers.formats.registry import AUTO, FORMATS
from memory.importers.material import NAME_MOST
from memory.importers.uploads import UPLOAD_MOST
from pawflow_web.identity.names import NAME_RULE, is_name
from pawflow_web.web.forms import PanelForm

PASTED = "pasted text"
_CHUNK = 2**20
_FORMATS = [
    (AUTO, _("told from what is in it")),
    ("markdown", _("Markdown: CLAUDE.md, AGENTS.md, MEMORY.md, notes")),
    ("dump", _("a list of memories, one on each line")),
    ("mcp-memory", _("the file of the MCP memory server")),
]
assert {name for name, _title in _FORMATS} == {AUTO, *FORMATS}  # noqa: S101 - each format has its words


class MemoryFileForm(PanelForm):
    """Words that were pasted, or a file; one of the two."""

    most = BYTES_MOST

    text = forms.CharField(
        label=_("Paste it here"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "input"}),
    )
    file = forms.FileField(label=_("or choose a file"), required=False, allow_empty_file=True)
    # What a text is called that came from a file; the browser cannot send the file again by itself.
    name = forms.CharField(required=False, max_length=NAME_MOST, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        text, file = given.get("text"), given.get("file")
        if text and text.strip() and file:
            self.add_error("file", _("Paste a text or choose a file, not both."))
        elif not file and not (text and text.strip()):
            self.add_error("text", _("Paste a text or choose a file."))
        elif file and file.size > self.most:
            sentence = _("The file is larger than %(most)s MiB.") % {"most": f"{self.most // 2**20:,}"}
            self.add_error("file", sentence)
        return given

    @property
    def source(self) -> str:
        """What the file is called."""
        file: UploadedFile[bytes] | None = self.cleaned_data.get("file")
        if file is not None:
            return file.name or "upload"
        return self.cleaned_data["name"] or PASTED

    def drop_words(self) -> None:
        """Show the form again without the text that was pasted."""
        self.data = {name: value for name, value in self.data.items() if name != "text"}

    def stream(self) -> BinaryIO:
        """The bytes from their start, to read here and now."""
        file: UploadedFile[bytes] | None = self.cleaned_data.get("file")
        if file is None:
            return BytesIO(self.cleaned_data["text"].encode(errors="replace"))
        file.seek(0)
        return cast("BinaryIO", file.file)

    def chunks(self) -> Iterator[bytes]:
        stream = self.stream()
        while chunk := stream.read(_CHUNK):
            yield chunk


class ImportForm(MemoryFileForm):
    """The same with what becomes of it."""

    most = UPLOAD_MOST

    format = forms.ChoiceField(label=_("Format"), choices=_FORMATS, required=False)
    agent = forms.CharField(
        label=_("Only for this agent"),
        required=False,
        max_length=64,
        help_text=_("Empty: everyone. An agent that is new is made."),
        widget=forms.TextInput(attrs={"list": "imports-agents", "autocomplete": "off"}),
    )
    dry_run = forms.BooleanField(label=_("Only count, store nothing"), required=False)

    def clean_agent(self) -> str | None:
        name: str = self.cleaned_data["agent"]
        if name and not is_name(name):
            raise forms.ValidationError(_("A name has %(rule)s.") % {"rule": NAME_RULE})
        return name or None

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or AUTO
