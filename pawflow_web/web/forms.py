"""Forms that look like ours: every text control carries the class the style sheet knows."""

from typing import Any

from django import forms

_PLAIN = (forms.CheckboxInput, forms.RadioSelect, forms.CheckboxSelectMultiple, forms.HiddenInput)


class PanelForm(forms.Form):
    """Base of every form on a page. ``components/field.html`` shows its errors in place."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, _PLAIN):
                field.widget.attrs.setdefault("class", "input")
