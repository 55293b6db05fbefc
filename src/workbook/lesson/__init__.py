"""What a companion notebook uses: `from workbook.lesson import Lesson`."""

from workbook.lesson.lesson import Lesson
from workbook.lesson.recorded import Recorded
from workbook.lesson.yours import Yours

__all__ = ["Lesson", "Recorded", "Yours"]
