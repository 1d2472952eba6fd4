"""Which predicates hold one value at a time: an owner's own list."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from graph.facts.vocabulary import FUNCTIONAL, functional_of, set_functional
from graph.limits import FUNCTIONAL_MOST, PREDICATE_MOST
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Invalid
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.render import person_required, render_panel


class PredicatesForm(PanelForm):
    """One predicate on each line."""

    functional = forms.CharField(
        label=gettext_lazy("One on each line"),
        required=False,
        max_length=FUNCTIONAL_MOST * (PREDICATE_MOST + 2),
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false", "autocapitalize": "none"}),
    )

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["functional"].splitlines() if line.strip()]


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def predicates(request: HttpRequest) -> HttpResponse:
    """``/kg/predicates``: the list as lines; a ``POST`` keeps it, or with ``again`` the one of the beginning."""
    person = person_of(request)
    if request.method != "POST":
        return _page(request, PredicatesForm(initial={"functional": "\n".join(functional_of(person.user_id))}))
    form = PredicatesForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    try:
        kept = set_functional(principal=person, predicates=FUNCTIONAL if "again" in request.POST else form.lines)
    except Invalid as error:
        form.add_error("functional", error.message)
        return _page(request, form)
    messages.success(request, _("Saved. %(number)d predicates hold one value at a time.") % {"number": len(kept)})
    return redirect("kg-predicates")


def _page(request: HttpRequest, form: PredicatesForm) -> HttpResponse:
    status = 422 if form.errors else 200
    return render_panel(request, "graph/predicates.html", {"form": form}, partial="panel", status=status)
