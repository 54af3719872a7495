"""Small treebanks with everything in them: subtypes, layered features, MISC, ranges, empty nodes, DEPS, two roots."""

SENTENCES = """\
# sent_id = one
# text = The old dog barks don't
# speaker = Ann
1	The	the	DET	DT	Definite=Def|PronType=Art	3	det	3:det	_
2	old	old	ADJ	JJ	Degree=Pos	3	amod	3:amod	Case=Nom
3	dog	dog	NOUN	NN	Number=Sing	4	nsubj	4:nsubj|6:nsubj	Gloss=HOUND|SpaceAfter=No
4	barks	bark	VERB	VBZ	Number=Sing|Tense=Pres	0	root	0:root	_
5-6	don't	_	_	_	_	_	_	_	_
5	do	do	AUX	VBP	Tense=Pres	6	aux	6:aux	textform=DO|wordform=Do
6	n't	not	PART	RB	Polarity=Neg	4	conj	4:conj:and	_

# sent_id = two
# text = dogs dog the old dogs
# speaker = Bob
1	dogs	dog	NOUN	NNS	Number=Plur|Number[psor]=Sing	2	nsubj	2:nsubj|5.1:nsubj	_
2	dog	dog	VERB	VBP	Tense=Pres	0	root	0:root	_
3	the	the	DET	DT	Definite=Def|PronType=Art	5	det	5:det	_
4	old	old	ADJ	JJ	Degree=Pos	5	amod	5:amod	_
5	dogs	dog	NOUN	NNS	Number=Plur	2	obj	2:obj	Rank=3
5.1	dog	dog	VERB	VBP	Tense=Pres	_	_	2:conj:and	textform=dogs|wordform=dogs

# sent_id = three
# text = it a b c
1	it	it	PRON	PRP	Case=Nom|Number=Sing	3	nsubj:pass	3:nsubj:pass	Rank=10
2	a	a	X	_	_	4	dep	_	_
3	b	_	VERB	_	Tense=Past|Typo=Yes	0	root	0:root	Flag
4	c	c	NOUN	_	Number=Sing	3	obl	3:obl:in	Rank=3

# sent_id = four
# text = x y z
1	x	x	NOUN	_	Number=Sing	0	root	0:root	Rank=03|textform=Ex
2	y	y	VERB	_	Tense=Past	0	root	0:root	_
3	z	z	NOUN	_	Number=Plur	1	nsubj	1:nsubj	_

"""
