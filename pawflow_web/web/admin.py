"""``/admin``: every row as the database holds it, for the owner it belongs to. Each app registers its models.

Nothing is added, changed or deleted here. What changes anything is an action that calls the service which the
pages call, so that no status moves without its entry in the journal.
"""

from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import ShowFacets
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_number, parse_ref

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _Paginator = Paginator[Any]
else:
    _ModelAdmin = admin.ModelAdmin
    _Paginator = Paginator

_SITE_PAGES = {"index", "app_list", "jsi18n", "login", "logout"}


class OwnersSite(admin.AdminSite):
    """Open to every signed-in owner: each sees their own rows. One way in and one way out: ours."""

    site_title = "PawFlow"
    site_header = _("PawFlow records")
    index_title = _("Records")
    enable_nav_sidebar = False
    final_catch_all_view = False

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Ours only: tables that other packages bring know no owner."""
        if admin_class is not None and issubclass(admin_class, OwnersAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_authenticated

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return redirect_to_login(request.GET.get("next", ""))

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # type: ignore[override]  # a redirect
        return redirect(settings.LOGIN_REDIRECT_URL)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The index, with what we call each table."""
        apps: list[Any] = super().get_app_list(request, app_label)
        for app in apps:
            for model in app["models"]:
                model["name"] = self._registry[model["model"]].title  # type: ignore[attr-defined]  # all are ours
        return apps

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Without changing a password, looking up what is not registered, and a second 404."""
        return [url for url in super().get_urls() if isinstance(url, URLResolver) or url.name in _SITE_PAGES]


class ListedPaginator(_Paginator):
    """Counts no further than it lets one page: what lies behind ``MOST`` rows is found by narrowing the list."""

    MOST = 5_000

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]  # a change list pages through rows only
        return rows.order_by().values("pk")[: self.MOST].count()


class OwnersAdmin(_ModelAdmin):
    """Rows of one owner, to look at.

    ``title`` is what we call the table. ``owner`` is the path to whom a row belongs; empty: it belongs to the
    installation, and says nothing of anybody. ``by_ref`` and ``by_number`` are the paths to what ``3fa4c1d2e5b6``
    and ``#42`` in the search field mean.
    """

    title: ClassVar[Any]
    owner: ClassVar[str] = "user"
    by_ref: ClassVar[str] = "ref"
    by_number: ClassVar[str] = ""

    paginator = ListedPaginator
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    sortable_by = ()
    # What is searched for is decided below; a name here only puts the field on the page.
    search_fields = ("pk",)
    search_help_text = _("A reference, such as 3fa4c1d2e5b6 or #42.")
    view_on_site: Any = False
    actions_selection_counter = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.filter(**{self.owner: request.user}) if self.owner else rows

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": self.title, **(extra_context or {})})

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *more: Any) -> HttpResponse | None:
        """Row ids are what the page sent; anything else chooses nothing."""
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if all(value.isascii() and value.isdigit() for value in chosen):
            return super().response_action(request, queryset, *more)
        messages.warning(request, _("Nothing was done: choose rows of this list."))
        return HttpResponseRedirect(request.get_full_path())

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        context = {"title": self.title, "table": self.title, **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, context)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model:
        """The row with that id. Anybody else's is as little there as one that never was."""
        row: Model | None = super().get_object(request, object_id, from_field)
        if row is None:
            raise NotFound
        return row

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return list(self.fields or ())  # type: ignore[arg-type]  # ours are never grouped

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        ref, number = parse_ref(term), parse_number(term)
        if ref and self.by_ref:
            return queryset.filter(**{self.by_ref: ref}), False
        if number and self.by_number:
            return queryset.filter(**{self.by_number: number}), False
        return self.search_words(request, queryset, term), False

    def search_words(self, request: HttpRequest, queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
        """What words find that are no reference; nothing unless there is an index for them."""
        return queryset.none()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """A list is narrowed by its filters and by nothing else: a column that is not shown cannot be guessed at."""
        for entry in self.list_filter:
            name = entry if isinstance(entry, str) else getattr(entry, "parameter_name", "")
            if lookup in {name, f"{name}__exact"}:
                return True
        return False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[Any]:
        """The list and the rows; there is nothing to add, to delete or to tell of changes made here."""
        kept = ("_changelist", "_change")
        return [url for url in super().get_urls() if (url.name or "").endswith(kept)]
