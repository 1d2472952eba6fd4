"""Who is signed in, with what every page needs of them in one statement."""

from django.contrib.auth.backends import ModelBackend

from pawflow_web.identity.models import User


class PersonBackend(ModelBackend):
    """Django's own, only that a person comes with their preferences."""

    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("preferences").filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
