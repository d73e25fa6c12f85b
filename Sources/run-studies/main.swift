// The studies that our own tables are made by; the scripts run them and keep what they write.

import Studies

StudyProgram.main([
  ArticleStudy.self, BenchmarkStudy.self, FidelityStudy.self, GateCalibration.self, MobileFit.self, RacingStudy.self, RecoveryStudy.self,
])
