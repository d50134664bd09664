"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "detection": "scenarist.exams.detection:Detection",
    "untold": "scenarist.exams.untold:UntoldExam",
    "judged": "scenarist.exams.judged:JudgedExam",
    "gaps": "scenarist.exams.gaps:GapsExam",
    "teller": "scenarist.exams.teller:TellerExam",
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
