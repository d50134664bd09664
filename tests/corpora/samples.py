"""Tiny corpora of our own writing in each official format: name -> files. No sentence of any corpus stands here."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

STORYCLOZE = """\
InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding
a1,Kim was thirsty.,"She took a glass, a big one.",The tap was broken.,She called a plumber.,He fixed the tap.,She flew to Mars.,1
a2,Lou had a kite.,It was red.,The wind was strong.,The string broke.,Lou ate the wind.,The kite flew away.,2
"""
ROC_CSV = """\
storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5
r1,The Kite,Lou had a kite.,It was red.,The wind blew.,"The string, an old one, broke.",The kite flew away.
r2,The Tap,Kim was thirsty.,She took a glass.,The tap broke.,A plumber came.,Kim drank at last.
"""
KIDSCOOK = "boil an egg .\tput the egg in hot water .\t1 1 0 1 0 0 1\nmake tea .\tpour water on leaves .\t1 0 1 0 1\n"
MCSCRIPT_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<data>
<instance id="0" scenario="making tea"><text>I boiled water &amp; made tea.</text><questions>
<question id="0" text="What was boiled?" type="text"><answer id="0" text="Water." correct="True"/><answer id="1" text="Sand." correct="False"/></question>
</questions></instance>
<instance id="1" scenario="fixing a tap"><text>The tap dripped. I turned it off.</text><questions/></instance>
</data>
"""
INSCRIPT = """\
\u2581I @ScrPart_drinker_tea single none none 0  none
\u2581boil none none #ScrEv_boil_water_tea single none  1001
ed X X X X X  none
\u2581hot none none none none none  none
\u2581water @ScrPart_water_tea single none none 1  4
\u2581 none none none none none  none
. X X X X X  none
\u2581It @ScrPart_water_tea single none none 1  none
\u2581did none none none none none  none
\u2581 none none none none none  none
n X X X X X  none
' X X X X X  none
t X X X X X  none
\u2581turn none none #UnrelEv_tea yes none  none
\u2581me @ScrPart_drinker_tea single none none 0  none
\u2581off none none #UnrelEv_tea no none  none
\u2581 none none none none none  none
! X X X X X  none
<end_of_story>
\u2581Tea @NPart_tea single none none none  none
\u2581time none none none none none  none
<end_of_story>
"""
ESDS = """<scripts><script id="1" source="2"><item slot="1" original="boil water" ></item>
<item slot="2" original="pour it on the leaves " ></item></script><script id="4" source="2"><item slot="1" original="buy tea"></item></script></scripts>"""
GOLD = """<scripts>
<label type="PARAPHRASE" event="boil_water">
<item source="2" script="1" slot="1" total_slots="2" original="boil water"></item></label></scripts>"""
PROSCRIPT = {
    "scenario": "make tea",
    "events": {"0": "boil water", "1": "find a cup", "2": "pour", "3": "NONE", "4": "make tea"},
    "minutes": 8.0,
    "events_minutes": {"0": 5.0, "1": 0.5},
    "gold_edges_for_prediction": ["0->2", "1->2", "2->4", "3->0", "3->1"],
    "flatten_output_for_edge_prediction": "step0 -> step2",
}
MCNC = "kettle|boiled|water\nkim|took out|cup\nHOLDOUT_SEP\nkim|drank|tea\nNEG_SEP\nkim|sued|cup\nwater|elected|mayor\nDOC_SEP\n"
NYT = "<DOCNAME>NYT_ENG_19940701.0001\n<UUID>u\nboil->nsubj drink->nsubj \npour->dobj \n\n<DOCNAME>NYT_ENG_19940727.0002\n<UUID>v\nsing->nsubj \n\n"
CONLLU = "# newdoc id = GUM_fiction_tea\n# text = Kim drank.\n1\tKim\tKim\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n2\tdrank\tdrink\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No\n3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
ONTOGUM = "# begin document \n0\tKim\t(1)\n1\tdrank\t_\n2\ther\t(1)\n3\ttea\t_\n# end document\n"
LIT_COREF = (
    "#begin document (7_tea_brat); part 0\n"
    + "".join(
        f"7_tea_brat\t0\t{n}\t{w}\t_\t_\t_\t_\t_\t_\t_\t_\t{c}\n"
        for n, (w, c) in enumerate([("Old", "(0"), ("Kim", "0)"), ("drank", ""), (".", "")])
    )
    + "\n#end document\n"
)
LIT_ENTITIES = "Old\tB-PER\tO\tO\tO\t\nKim\tI-PER\tO\tO\tO\t\ndrank\tO\tO\tO\tO\t\n.\tO\tO\tO\tO\t\n\n"
LIT_EVENTS = "Old\tO\nKim\tO\ndrank\tEVENT\n.\tO\n\n"
GIGAWORD = """\
<DOC id="NYT_ENG_19940701.0001" type="story" >
<HEADLINE>
TEA &AMP; TAPS
</HEADLINE>
<DATELINE>
NEW YORK (AP)
</DATELINE>
<TEXT>
<P>
A tap broke in the town hall on Friday
and was mended.
</P>
<P>
Nobody was hurt &amp; everybody had tea.
</P>
</TEXT>
</DOC>
<DOC id="NYT_ENG_19940701.0002" type="other" >
<TEXT>
Scores of the evening.
</TEXT>
</DOC>
"""
SPINN3R = """\
<?xml version="1.0" encoding="UTF-8"?>
<dataset>
<item><title>My tap</title><link>http://example.org/1</link><guid>http://example.org/1</guid><dc:lang>en</dc:lang><weblog:tier>3</weblog:tier>
<description>&lt;p&gt;The tap broke.&lt;/p&gt;&lt;p&gt;I cried &amp;amp; called Kim.&lt;/p&gt;</description></item>
<item><title>Mein Hahn</title><guid>http://example.org/2</guid><dc:lang>de</dc:lang><description>Der Hahn tropft.</description></item>
<item><title>Empty</title><guid>http://example.org/3</guid><dc:lang>en</dc:lang><description></description></item>
</dataset>
"""
BENNETT = (
    '"workerid","document","chain","clozeIndex","original","gloss","response","condition","trialnum"\n'
    '"1","063","84",1,"Kim drank the tea.","Kim drink.","Kim poured it. ","caveman",1\n'
    '"2","63","84",1,"Kim drank the tea.","Kim drank the tea.","Kim slept.","original",NA\n'
)
CORENLP_TEXT = "🙂 Kim drank."
CORENLP = {
    "sentences": [
        {
            "index": 0,
            "basic-dependencies": [
                {"dep": "ROOT", "governor": 0, "dependent": 3},
                {"dep": "nsubj", "governor": 3, "dependent": 2},
            ],
            "tokens": [
                {"index": 1, "originalText": "🙂", "lemma": "🙂", "pos": "SYM", "characterOffsetBegin": 0, "characterOffsetEnd": 2},
                {"index": 2, "originalText": "Kim", "lemma": "Kim", "pos": "NNP", "characterOffsetBegin": 3, "characterOffsetEnd": 6},
                {"index": 3, "originalText": "drank", "lemma": "drink", "pos": "VBD", "characterOffsetBegin": 7, "characterOffsetEnd": 12},
                {"index": 4, "originalText": ".", "lemma": ".", "pos": ".", "characterOffsetBegin": 12, "characterOffsetEnd": 13},
            ],
        }
    ],
    "corefs": {
        "1": [
            {
                "id": 1, "text": "Kim", "type": "PROPER", "number": "SINGULAR", "gender": "FEMALE", "animacy": "ANIMATE",
                "startIndex": 2, "endIndex": 3, "sentNum": 1, "isRepresentativeMention": True,
            }
        ]
    },
}  # fmt: skip
TALE = "document_id,text\ntea,Once there was a kettle.\ntea,It sang.\n"


def tar(files: dict[str, str]) -> bytes:
    """An archive packed with xz."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def write_all(root: Path) -> Path:
    """All samples below one folder, as a search path would have them; some packed, some not."""
    json_story = json.dumps({"sentences": ["A.", "B.", "C.", "D.", "E."], "cased_original": False, "source": "x"})
    files: dict[str, str | bytes] = {
        "storycloze/cloze_test_val__spring2016.csv": STORYCLOZE,
        "storycloze/cloze_test_test__spring2016.csv": STORYCLOZE.replace(",AnswerRightEnding", "").replace(",1\n", "\n").replace(",2\n", "\n"),
        "storycloze/cloze_test_val__winter2018.csv": STORYCLOZE,
        "rocstories/stories.jsonl.gz": gzip.compress((json_story + "\n").encode()),
        "kidscook/train.template.tsv": KIDSCOOK,
        "kidscook/valid.template.tsv": KIDSCOOK,
        "kidscook/tests.template.tsv": KIDSCOOK,
        "mcscript/train.jsonl.gz": gzip.compress(
            b"".join(json.dumps({"scenario": "making tea", "text": f"Tea number {n}."}).encode() + b"\n" for n in range(40))
        ),
        "mcscript/test.jsonl": json.dumps({"scenario": "making tea", "text": "Held out tea."}) + "\n",
        "inscript/train/tea.tsv.gz": gzip.compress(INSCRIPT.encode()),
        "inscript/test/tea.tsv": INSCRIPT,
        "descript/esds/second_esd/making tea.new.xml": ESDS,
        "descript/esds/second_esd/washing ones hair.new.xml": ESDS,
        "descript/esds/pilot_esd/washing ones hair.pilot.xml": ESDS.replace('source="2"', 'source="1"'),
        "descript/gold_paraphrase_sets/first_gold_annotation/making tea.new.xml": GOLD,
        "descript/gold_paraphrase_sets/second_gold_annotation/making tea.new.xml": GOLD,
        "descript/alignments/linkingResult_pilot.csv": "Scenario,WorkerId,lhs_script,rhs_script,lhs_item,rhs_item,before_item,after_item,"
        "noLinkingPossible,goldenStandard\nmaking tea.csv.xml,W,1,4,2,1,,,f,1\nmaking tea.csv.xml,W,1,4,2,,1,2,f,\n",
        "descript/alignments/linkingResult_phase1.csv": "Scenario,workerId,lhs_script,rhs_script,lhs_item,result,goldStandard,outlier/stable\n"
        "making tea.csv.xml,W,1,4,1,before_1,,o\n",
        "descript/alignments/linkingResult_phase2.csv": "making tea.csv.xml,workerId,lhs_script, rhs_script,lhs_item, result, goldenStandard,Outlier/stable\n"
        "making tea.csv.xml,W,1,4,1,between_1_2,1,\nmaking tea.csv.xml,V,1,4,1,noLinkingPossible,,\n",
        "proscript/train.jsonl.gz": gzip.compress(
            b"".join(json.dumps({**PROSCRIPT, "scenario": f"make tea {n}"}).encode() + b"\n" for n in range(40))
        ),
        "proscript/test.jsonl": json.dumps(PROSCRIPT) + "\n",
        "nyt-chains/train.gz": gzip.compress(NYT.encode()),
        "nyt-chains/test.gz": gzip.compress(NYT.encode()),
        "mcnc/cmcnc_dev.txt": MCNC,
        "mcnc/mcnc_test_final.txt": MCNC + MCNC.removesuffix("DOC_SEP\n"),
        "bennett/experiment3.csv": BENNETT,
        "bennett/documents.tar.xz": tar({"x-document-063-edited.txt": CORENLP_TEXT, "x-document-063-edited.txt.json": json.dumps(CORENLP)}),
        "ontogum/train/GUM_fiction_tea.conll.gz": gzip.compress(ONTOGUM.encode()),
        "ontogum/dev/GUM_news_tea.conll": ONTOGUM,
        "litbank/test/coref/conll/7_tea_brat.conll": LIT_COREF,
        "litbank/test/entities/tsv/7_tea_brat.tsv": LIT_ENTITIES,
        "litbank/test/events/tsv/7_tea_brat.tsv.gz": gzip.compress(LIT_EVENTS.encode()),
        "fiction/litbank_novels.tar.xz": tar({f"{n}_the_kettle.txt": f"Chapter {n}\n\nThe kettle sang." for n in range(40)}),
        "fiction/gutenberg_short.tar.xz": tar({f"novellas/{n}/{n}.txt": f"Tale {n}." for n in range(40)}),
        "fiction/fairytaleqa.tar.xz": tar({f"data-by-train-split/sentence-stories/{s}/{s}-tea-story.csv": TALE for s in ("train", "val", "test")}
                                          | {"data-by-train-split/sentence-stories/train/void-story.csv": "document_id,text\n", "README.md": "x"}),
        "gigaword/data/nyt_eng/nyt_eng_199407.gz": gzip.compress(GIGAWORD.encode()),
        "spinn3r/tier/blogs.xml.gz": gzip.compress(SPINN3R.encode()),
    }  # fmt: skip
    for bank, split in (("ewt", "train"), ("ewt", "dev"), ("gum", "train"), ("gum", "dev"), ("gum", "test")):
        files[f"treebanks/en_{bank}-ud-{split}.conllu.gz"] = gzip.compress(CONLLU.encode())
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root
