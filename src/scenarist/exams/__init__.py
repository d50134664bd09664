"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "detection": "scenarist.exams.detection:Detection",
    "untold": "scenarist.exams.untold:UntoldExam",
    "judged": "scenarist.exams.judged:JudgedExam",
    "gaps": "scenarist.exams.gaps:GapsExam",
    "teller": "scenarist.exams.teller:TellerExam",
    "goes-without-saying": "scenarist.exams.probes:GoesWithoutSaying",
    "the-or-a": "scenarist.exams.probes:TheOrA",
    "tellable": "scenarist.exams.probes:Tellable",
    "false-memory": "scenarist.exams.probes:FalseMemory",
    "winograd": "scenarist.exams.probes:ScriptWinograd",
    "eventcloze": "scenarist.exams.eventcloze:EventCloze",
    "wordcloze": "scenarist.exams.wordcloze:WordCloze",
    "wordcloze-infill": "scenarist.exams.wordcloze:WordClozeInfill",
    "reading": "scenarist.exams.reading:ReadingExam",
    "storycloze": "scenarist.exams.storycloze:StoryClozeExam",
    "cold": "scenarist.exams.cold:ColdExam",
    "timetravel": "scenarist.exams.timetravel:TimeTravelExam",
    "glucose": "scenarist.exams.glucose:GlucoseExam",
    "ordering": "scenarist.exams.ordering:OrderingExam",
}
