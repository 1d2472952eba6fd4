"""The catalogue: every rule of the scanner, its kind and the words that a person reads about it."""

from typing import Literal, NamedTuple

Kind = Literal["injection", "secret", "personal"]


class Rule(NamedTuple):
    kind: Kind
    label: str
    """What was found, as a noun: used for ``[... removed]``."""
    sentence: str
    """What it looks like, following "this": used in review."""


RULES: dict[str, Rule] = {
    # --- words aimed at the agent -----------------------------------------------------------------------------
    "instruction_override": Rule(
        "injection", "override", "reads like an instruction to the agent to drop its instructions"
    ),
    "role_change": Rule("injection", "role change", "tells the agent to be somebody else"),
    "safety_bypass": Rule("injection", "bypass", "tells the agent to work without its rules or safeguards"),
    "prompt_leak": Rule("injection", "prompt request", "asks the agent for its own hidden instructions"),
    "false_authority": Rule(
        "injection", "false authority", "claims an authority or a right that stored text cannot give"
    ),
    "role_markup": Rule("injection", "role mark-up", "holds mark-up that separates the voices of a chat"),
    "role_line": Rule("injection", "role line", "imitates a line spoken by the system or by the agent"),
    "tool_call": Rule("injection", "tool call", "looks like a tool call of the agent"),
    "fence_markup": Rule("injection", "fence", "imitates the fence around stored memory"),
    "comment_instruction": Rule(
        "injection", "hidden comment", "holds an instruction in a comment that a reader does not see"
    ),
    "hidden_text": Rule("injection", "hidden characters", "holds invisible characters inside words"),
    "hidden_direction": Rule("injection", "direction characters", "holds characters that reorder what a reader sees"),
    "hide_from_user": Rule("injection", "concealment", "tells the agent to keep something from its user"),
    "standing_order": Rule("injection", "standing order", "gives the agent a standing order to send or approve things"),
    "exfiltration": Rule("injection", "exfiltration", "would send secrets or conversations to somebody else"),
    "dangerous_command": Rule("injection", "dangerous command", "holds a command that opens or destroys a machine"),
    "encoded_instruction": Rule(
        "injection", "encoded instruction", "tells the agent to decode or translate a text and then to obey it"
    ),
    # --- secrets ----------------------------------------------------------------------------------------------
    "openai_key": Rule("secret", "OpenAI key", "looks like an API key of OpenAI"),
    "anthropic_key": Rule("secret", "Anthropic key", "looks like an API key of Anthropic"),
    "aws_key": Rule("secret", "AWS key", "looks like an access key of AWS"),
    "github_token": Rule("secret", "GitHub token", "looks like an access token of GitHub"),
    "gitlab_token": Rule("secret", "GitLab token", "looks like an access token of GitLab"),
    "slack_token": Rule("secret", "Slack token", "looks like a token or webhook of Slack"),
    "stripe_key": Rule("secret", "Stripe key", "looks like a secret key of Stripe"),
    "google_key": Rule("secret", "Google key", "looks like an API key or client secret of Google"),
    "npm_token": Rule("secret", "npm token", "looks like an access token of npm"),
    "pypi_token": Rule("secret", "PyPI token", "looks like an upload token of PyPI"),
    "huggingface_token": Rule("secret", "Hugging Face token", "looks like an access token of Hugging Face"),
    "telegram_token": Rule("secret", "Telegram token", "looks like the token of a Telegram bot"),
    "sendgrid_key": Rule("secret", "SendGrid key", "looks like an API key of SendGrid"),
    "twilio_key": Rule("secret", "Twilio key", "looks like an API key of Twilio"),
    "service_key": Rule("secret", "API key", "looks like an API key"),
    "pawflow_token": Rule("secret", "PawFlow token", "looks like an access token of this server"),
    "jwt": Rule("secret", "signed token", "looks like a signed token (JWT)"),
    "private_key": Rule("secret", "private key", "holds a private key"),
    "url_password": Rule("secret", "password", "holds an address with a password in it"),
    "authorization": Rule("secret", "credential", "holds the credential of an Authorization header or command line"),
    "assigned_secret": Rule("secret", "password", "looks like a password or token"),
    "random_secret": Rule("secret", "credential", "holds a random-looking value beside a word like key or token"),
    "card_number": Rule("secret", "card number", "looks like the number of a payment card"),
    # --- personal data ----------------------------------------------------------------------------------------
    "social_security_number": Rule("personal", "social security number", "looks like a social security number"),
    "iban": Rule("personal", "bank account", "holds the number of a bank account (IBAN)"),
    "identity_document": Rule("personal", "document number", "holds the number of an identity document"),
    "health": Rule("personal", "health statement", "says something about a person's health"),
    "income": Rule("personal", "income statement", "says what a person earns or owes"),
}


def describe(rule: str) -> str:
    """One sentence for a person about a rule, also about one that only an older catalogue knew."""
    known = RULES.get(rule)
    return known.sentence if known else "was marked by a rule that this version no longer has"
