// The studies that our own tables are made by; the scripts run them and keep what they write.

import Studies

StudyProgram.main()
