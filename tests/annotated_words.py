"""Sentences of CoNLL-U from words with tags, relations and features."""

from __future__ import annotations


def sentence(text: str, sent_id: str = "s1") -> str:
    """A sentence of words `FORM/UPOS/HEAD/RELATION`, perhaps with `/FEATS` and `/MISC`."""
    lines = [f"# sent_id = {sent_id}"]
    for at, word in enumerate(text.split(), 1):
        form, upos, head, deprel, feats, misc = (*word.split("/"), "_", "_")[:6]
        lines.append("\t".join([str(at), form, form, upos, "_", feats, head, deprel, "_", misc]))
    return "\n".join(lines) + "\n\n"
