"""Projects in the browser: which there are, how one is made, changed and put away, and what is filed under one."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conversations.models import Conversation, Project
from conversations.pages import projects
from conversations.services import update_conversation, update_project
from pawflow_web.identity.models import User
from tests.factories import make_conversation, make_owner, make_person, make_project
from tests.web.beliefs import HOSTILE
from tests.web.people import at, browser_of, htmx, text_of

PAGE = "/projects"
EMPTY = {"name": "", "description": "", "root": ""}


@pytest.fixture
def shop(lotta: User) -> Project:
    return make_project(lotta)


@pytest.fixture
def talk(lotta: User) -> Conversation:
    return make_conversation(lotta, title="About staging")


def put_away(owner: User, project: Project) -> None:
    update_project(principal=make_person(owner), project=project, archived=True)


def slugs(page: str) -> list[str]:
    return re.findall(r'<li class="item gone" id="projects-([\w-]+)"', page)


def body(answer: HttpResponse) -> str:
    return answer.content.decode()


def shown(page: str) -> dict[str, str]:
    """What the form of a project carries of what it shows."""
    return dict(re.findall(r'type="hidden" name="(initial-\w+)" value="([^"]*)"', page))


# --- the list -----------------------------------------------------------------------------------------------------


def test_the_list_says_what_is_filed_and_folds_what_is_archived(
    browser: Client, lotta: User, shop: Project, talk: Conversation
) -> None:
    update_conversation(conversation=talk, project=shop)
    update_conversation(conversation=make_conversation(lotta), project=shop)
    put_away(lotta, make_project(lotta, "Attic"))
    make_project(lotta, "<b>Zoo</b>")
    page = body(browser.get(PAGE))
    current, _, archived = page.partition('id="projects-archived"')
    assert (slugs(current), slugs(archived)) == (["b-zoo-b", "web-shop"], ["attic"])
    assert archived.startswith(">")
    assert "&lt;b&gt;Zoo&lt;/b&gt;" in current
    row = current.partition('id="projects-web-shop"')[2]
    assert 'href="/sessions?project=web-shop"' in row
    assert "2 conversations" in row
    assert "<time" in row
    assert "no conversation" in archived
    assert "<time" not in archived.partition('id="projects-attic"')[2].partition("</li>")[0]
    assert 'href="/projects"' in body(browser.get("/"))


def test_an_empty_page_says_what_to_do(browser: Client, lotta: User) -> None:
    make_project(make_owner("tom"), "Secret plan")
    page = browser.get(PAGE)
    assert "No project yet" in text_of(page)
    assert 'id="projects-add" open' in body(page)
    assert "Secret plan" not in text_of(page)
    put_away(lotta, make_project(lotta))
    page = browser.get(PAGE)
    assert "None is in use." in text_of(page)
    assert 'id="projects-archived" open' in body(page)
    assert 'id="projects-add" open' not in body(page)


@pytest.mark.parametrize(
    ("target", "parameter"), [("projects-more", "cursor"), ("projects-archived-more", "archived_cursor")]
)
def test_long_lists_go_on_by_a_button(
    browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch, target: str, parameter: str
) -> None:
    monkeypatch.setattr(projects, "LISTED", 2)
    for name in ("a", "b", "c"):
        made = make_project(lotta, name)
        if parameter == "archived_cursor":
            put_away(lotta, made)
    page = body(browser.get(PAGE))
    assert slugs(page) == ["a", "b"]
    (more,) = re.findall(rf'hx-get="(/projects\?{parameter}=[^"]+)"', page)
    part = body(browser.get(more, headers=htmx(target)))
    assert slugs(part) == ["c"]
    assert "<h1" not in part
    assert slugs(body(browser.get(more))) == ["c"]
    assert browser.get(f"{PAGE}?{parameter}=x").status_code == 422


def test_a_full_page_asks_for_all_rows_at_once_and_weighs_little(browser: Client, lotta: User, shop: Project) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            browser.get(PAGE)
        return len(asked)

    put_away(lotta, make_project(lotta, "Attic"))
    before = queries()
    for n in range(2 * projects.LISTED):
        made = make_project(lotta, f"Project {n}")
        update_conversation(conversation=make_conversation(lotta), project=made)
        if n % 2:
            put_away(lotta, made)
    assert queries() == before
    page = body(browser.get(PAGE))
    assert len(slugs(page)) == 2 * projects.LISTED
    assert len(page) < 60 * 1024


def test_a_project_aimed_at_agents_says_so(browser: Client, lotta: User, shop: Project) -> None:
    sentence = "No context lists it among your projects."
    assert sentence not in text_of(browser.get(PAGE))
    update_project(principal=make_person(lotta), project=shop, description=HOSTILE)
    assert sentence in text_of(browser.get(PAGE))


# --- making and changing ------------------------------------------------------------------------------------------


def test_one_is_made_without_a_script(browser: Client, lotta: User, tmp_path: Path) -> None:
    form = {"name": " Web shop ", "description": "sells\r\ntea", "root": str(tmp_path)}
    answer = browser.post(PAGE, form, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "Made. Its slug is web-shop." in text_of(answer)
    made = Project.objects.get(user=lotta)
    assert (made.name, made.description, made.root) == ("Web shop", "sells\ntea", str(tmp_path))
    assert "Its slug is web-shop-2." in text_of(browser.post(PAGE, {**EMPTY, "name": "Web shop"}, follow=True))


def test_one_is_made_in_place(browser: Client) -> None:
    answer = browser.post(PAGE, {**EMPTY, "name": "Web shop"}, headers=htmx("projects-add"))
    assert (answer.status_code, answer["HX-Trigger"]) == (201, "items-changed")
    assert 'id="projects-add">' in body(answer)
    assert "Its slug is web-shop." in text_of(answer)
    part = body(browser.get(PAGE, headers=htmx("projects-list")))
    assert part.lstrip().startswith('<div class="stack" id="projects-list"')
    assert slugs(part) == ["web-shop"]


@pytest.mark.parametrize("script", [False, True])
@pytest.mark.parametrize(
    ("wrong", "field", "told"),
    [
        ({"name": "  "}, "name", "required"),
        ({"name": "\u200b"}, "name", "It must hold something that can be seen."),
        ({"name": "x" * 201}, "name", "at most 200 characters"),
        ({"description": "x" * 2001}, "description", "at most 2000 characters"),
        ({"root": "shop"}, "root", "root is &#x27;shop&#x27;; it must be an existing directory"),
        ({"root": "/no/such/place"}, "root", "Create it first; an empty root means none."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(
    browser: Client, lotta: User, shop: Project, script: bool, wrong: dict[str, str], field: str, told: str
) -> None:
    form = {"name": "Shop", "description": "sells tea", "root": "", **wrong}
    for path, start, target in ((PAGE, "projects-add", "projects-add"), (f"{PAGE}/web-shop", "project", "dialog")):
        answer = browser.post(path, form, headers=htmx(target) if script else {})
        page = body(answer)
        assert answer.status_code == 422
        assert ("<html" in page) is not script
        assert "Not saved: one thing to mend." in text_of(answer)
        assert told in page.partition(f'id="{start}-{field}_error"')[2].partition("</p>")[0]
        assert page.count('aria-invalid="true"') == 1
        assert wrong[field].strip() in page
    assert list(Project.objects.values_list("name", "description", "root")) == [("Web shop", "", "")]


def test_a_root_is_set_and_cleared(browser: Client, shop: Project, tmp_path: Path) -> None:
    for root in (str(tmp_path), ""):
        page = body(browser.get(f"{PAGE}/web-shop"))
        form = {**shown(page), "name": "Web shop", "description": "", "root": root}
        answer = browser.post(f"{PAGE}/web-shop", form, follow=True)
        assert "Saved." in text_of(answer)
        shop.refresh_from_db()
        assert shop.root == root


def test_only_what_the_person_changed_is_written(browser: Client, lotta: User, shop: Project, tmp_path: Path) -> None:
    person, place = make_person(lotta), tmp_path / "shop"
    place.mkdir()
    update_project(principal=person, project=shop, description="sells\ntea", root=str(place))
    seen = {key: value.replace("\n", "\r\n") for key, value in shown(body(browser.get(f"{PAGE}/web-shop"))).items()}
    update_project(principal=person, project=shop, description="sells coffee")
    # a root that is gone is nothing to mend for whoever changes the name
    place.rmdir()
    form = {"name": "Tea shop", "description": "sells\r\ntea", "root": str(place)}
    assert browser.post(f"{PAGE}/web-shop", {**seen, **form}).status_code == 302
    shop.refresh_from_db()
    assert (shop.name, shop.slug, shop.description, shop.root) == ("Tea shop", "web-shop", "sells coffee", str(place))


def test_a_change_over_the_list_takes_the_place_of_its_row(browser: Client, shop: Project) -> None:
    page = body(browser.get(f"{PAGE}/web-shop", headers=at(PAGE)))
    assert "<html" not in page
    form = {**shown(page), **EMPTY, "name": "Tea shop"}
    answer = browser.post(f"{PAGE}/web-shop", form, headers=at(PAGE))
    assert (answer["HX-Retarget"], answer["HX-Trigger"]) == ("#projects-web-shop", "dialog-close")
    assert slugs(body(answer)) == ["web-shop"]
    assert "Tea shop" in text_of(answer)
    elsewhere = browser.post(f"{PAGE}/web-shop", form, headers=at("/menu"))
    assert elsewhere["HX-Redirect"] == PAGE


@pytest.mark.parametrize("script", [False, True])
def test_one_is_archived_and_used_again(browser: Client, shop: Project, script: bool) -> None:
    headers = at(PAGE, "projects-web-shop") if script else {}
    for verb, other, archived in (("archive", "unarchive", True), ("unarchive", "archive", False)):
        answer = browser.post(f"{PAGE}/web-shop/{verb}", headers=headers)
        shop.refresh_from_db()
        assert shop.archived is archived
        page = body(answer if script else browser.get(PAGE))
        assert slugs(page) == ["web-shop"]
        assert f'formaction="/projects/web-shop/{other}"' in page
        assert f'formaction="/projects/web-shop/{verb}"' not in page
        assert ('id="projects-archived"' in page) is (archived and not script)
    assert browser.get(f"{PAGE}/web-shop/archive").status_code == 405


# --- filing a conversation ----------------------------------------------------------------------------------------


def test_a_conversation_is_filed_from_its_reader(
    browser: Client, lotta: User, shop: Project, talk: Conversation
) -> None:
    put_away(lotta, make_project(lotta, "Attic"))
    path = f"/sessions/{talk.ref}/project"
    assert f'href="{path}"' in body(browser.get(f"/sessions/{talk.ref}"))
    page = body(browser.get(path))
    assert re.findall(r'<option value="([^"]*)"', page) == ["", "web-shop"]
    assert '<option value="" selected>' in page
    for slug, told in (("web-shop", "Filed under Web shop."), ("", "Filed under no project.")):
        assert told in text_of(browser.post(path, {"project": slug}, follow=True))
        talk.refresh_from_db()
        assert (talk.project.slug if talk.project else "") == slug
    assert browser.post(path, {"project": "web-shop"}, headers=htmx("dialog"))["HX-Redirect"] == f"/sessions/{talk.ref}"


def test_projects_of_one_name_are_told_apart(browser: Client, lotta: User, shop: Project, talk: Conversation) -> None:
    make_project(lotta, shop.name), make_project(lotta, "Garden")
    page = body(browser.get(f"/sessions/{talk.ref}/project"))
    names = re.findall(r"<option [^>]*>([^<]*)<", page)
    assert names == ["No project", "Garden", "Web shop (web-shop)", "Web shop (web-shop-2)"]


def test_filing_it_where_it_is_changes_nothing(browser: Client, lotta: User, talk: Conversation) -> None:
    attic = make_project(lotta, "Attic")
    update_conversation(conversation=talk, project=attic)
    put_away(lotta, attic)
    before = Conversation.objects.values("updated_at", "project").get()
    assert '<option value="attic" selected>' in body(browser.get(f"/sessions/{talk.ref}/project"))
    assert browser.post(f"/sessions/{talk.ref}/project", {"project": "attic"}).status_code == 302
    assert Conversation.objects.values("updated_at", "project").get() == before


def test_a_project_that_is_not_the_persons_is_no_choice(browser: Client, talk: Conversation) -> None:
    make_project(make_owner("tom"), "Secret plan")
    for slug in ("secret-plan", "never-used"):
        answer = browser.post(f"/sessions/{talk.ref}/project", {"project": slug})
        assert answer.status_code == 422
        assert "Not saved: one thing to mend." in text_of(answer)
    talk.refresh_from_db()
    assert talk.project is None


def test_nobody_elses_can_be_read_or_changed(shop: Project, talk: Conversation) -> None:
    tom = browser_of(make_owner("tom"))
    own = make_project(User.objects.get(username="tom"), "Own")
    form = {**EMPTY, "name": "Mine", "project": own.slug}
    for path in (f"{PAGE}/web-shop", f"/sessions/{talk.ref}/project"):
        assert tom.get(path).status_code == 404
        assert tom.post(path, form).status_code == 404
    assert tom.post(f"{PAGE}/web-shop/archive").status_code == 404
    assert tom.post(f"{PAGE}/own", form).status_code == 302
    shop.refresh_from_db(), talk.refresh_from_db(), own.refresh_from_db()
    assert (shop.name, shop.archived, talk.project, own.name) == ("Web shop", False, None, "Mine")


def test_whoever_is_not_signed_in_is_sent_to_do_so(db: None) -> None:
    answer = browser_of().get(PAGE)
    assert answer["Location"] == "/login?next=/projects"
