"""How long the parts of a fact may be. Each number has this one home."""

NAME_MOST = 200  # characters of a name as it is said
NORMAL_MOST = 400  # characters of its folded form, which some letters make longer
PREDICATE_MOST = 80
VALUE_MOST = 2000
SOURCE_MOST = 200
WORDS_MOST = 24  # words of one name that it is found by
WORD_MOST = 80
FUNCTIONAL_MOST = 200  # predicates of an owner's list
