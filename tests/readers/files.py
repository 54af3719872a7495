"""Files of text formats, made by hand."""

from __future__ import annotations

CONLLU = """\
# newdoc id = d1
# newpar
# sent_id = s1
# text = Vámonos al mar
#no key here
# text = the first one counts
0.1\t_\t_\tPRON\tPRP\tPerson=1\t_\t_\t2:nsubj\tCopyOf=1
1-2\tVámonos\tvamos\tVERB\tV\tTypo=Yes\t_\t_\t_\tSpaceAfter=No
1\tVamos\tir\tVERB\tVM\tMood=Imp|Number=Plur\t0\troot\t0:root\tGloss=go
2\tnos\tnosotros\tPRON\tPP\tCase=Acc\t1\tobj\t1:obj|0.1:nsubj:xsubj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tSP\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tDA\tDefinite=Def\t5\tdet\t5:det\t_
4.1\tgran\tgrande\t_\t_\t_\t_\t_\t5:amod\t_
4.2\t_\t_\t_\t_\t_\t_\t_\t_\t_
5\tmar\tmar\tNOUN\tNC\tGender=Masc\t1\tobl\t1:obl:a|4.1:dep\tSpaceAfter=No|X

# newpar id = p2
1\t10\u00a0000 km\t_\tNUM\t_\t_\t_\t_\t_\t_
2\t_\t_\tSYM\t_\t_\t_\t_\t_\t_

"""
"""With everything that the format has: multiword tokens, empty nodes, enhanced edges, comments."""

TEN_COLUMNS = """\
1\tDas\tdas\tART\tPDS\tcase=nom|num=sg\t2\tSB\t2\tSB
2\tist\t_\tV\tVAFIN\t_\t0\tROOT\t_\tROOT
3\tü b\t_\tADV\tADV\t_\t2\tMO\t1\t_
4\t_\t_\tP\tP\t_\t2\tPUNC\t_\t_

# a comment
1\tJa\t_\t_\t_\t_\t0\tROOT\t_\t_

"""

EIGHT_COLUMNS = "".join(line.rpartition("\t")[0].rpartition("\t")[0] + "\n" if "\t" in line else line
                for line in TEN_COLUMNS.splitlines(keepends=True))  # fmt: skip

GIZA = (
    b"# Sentence pair (1) source length 3 target length 4 alignment score : 0.00012\n"
    b"das Haus ist ({ \n"
    b"NULL ({ 3 }) the ({ 1 }) }) ({ 2 4 }) 7 ({ }) \n"
    b"# Sentence pair (2) source length 1 target length 1 alignment score : 1e-05\n"
    b"Ja\n"
    b"NULL ({ }) NULL ({ 1 })\n"
)

SYMBOLS = "<eps> 0\nthe 1\ncat 2\nhat 3\n"

PLF = "((('the',-0.5,1),('a',-1,1),),(('cat',-0.25,1),('*EPS*',0,1),),)\n"

SLF = (
    '# made by hand\nVERSION=1.0\nUTTERANCE="one two"\nN=4 L=4\nI=0 t=0.0\nI=1 W=the\nI=2 W=!NULL\nI=3\n'
    "J=0 S=0 E=1 a=-1.5 l=-2\nJ=1 S=0 E=2\nJ=2 S=1 E=3 W=cat\nJ=3 S=2 E=3 W=\\#hat\n"
)

OPENFST = "0\t1\tthe\tthe\t0.5\n0\t2\ta\ta\n1\t3\tcat\tcat\n2\t3\t<eps>\t<eps>\n3\n"

KALDI = "one two\n0 1 1 0.5,1.25,3_4\n1 2 2 0,0,\n2 0.5,0.25,\n\nthree\n0 1 3 1,2\n1\n\n"

JSONL = (
    '{"id": "a", "n_nodes": 3, "refs": [[{"x": "]"}]], "edges": [[0, 1, ["the", "caf\\u00e9"], -0.5], [1, 2, []]]}\n'
)

LATTICE_FILES = {"plf": PLF, "slf": SLF, "openfst": OPENFST, "kaldi": KALDI, "jsonl": JSONL}
"""By format, a file of one or more lattices."""

ROW = "{}\ta\t_\t_\t_\t_\t{}\tx\t_\t_\n"
"""A row of CoNLL-U and CoNLL-X, from its number and its head."""

SMALL_SENTENCES = {
    "conllu": ROW.format(1, 0) + "\n",
    "conllx": ROW.format(1, 0) + "\n",
    "penn": "(S (A a))\n",
    "newick": "(a,b);\n",
    "export": "#BOS 1\na\tA\t--\t--\t0\n#EOS 1\n",
    "discbracket": "(S (A 0=a))\n",
    "text": "a\n",
    "pharaoh": "0-0\n",
    "talp": "1-1\n",
    "wpt": "1 1 1\n",
    "giza": "# Sentence pair (1) source length 1 target length 1 alignment score : 1\na\nNULL ({ }) b ({ 1 })\n",
    "plf": "((('a',1,1),),)\n",
    "openfst": "0 1 a\n1\n\n",
    "kaldi": "k\n0 1 a 1,2,\n1\n\n",
    "jsonl": '{"n_nodes": 2, "edges": [[0, 1, ["a"]]]}\n',
    "slf": "",
    "trn": "a (s)\n",
    "stm": "r 1 s 0 1 a\n",
    "ctm": "r 1 0 1 a\n",
}
"""By format, a file of one small sentence."""
