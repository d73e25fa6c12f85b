// The books of a background run: what the loop writes down while it goes.

/// What happened and when.
struct BackgroundLedger {
  /// A file that has come.
  struct Finish: BitwiseCopyable {
    var at: Int64
    var file: Int
  }

  var finishes: ContiguousArray<Finish> = []
  /// When the daemon resumed or relaunched the app.
  var wakes: ContiguousArray<Int64> = []
  /// When the system killed it.
  var kills: ContiguousArray<Int64> = []
  var launches = 0
  var tasksCreated = 0
  var tasksCancelled = 0
  /// Payload of tasks that were cancelled, or not complete at the end.
  var bytesUnfinished: Int64 = 0
  /// Time with nothing on the way because the limiter, an occasion, or the daemon's start held the next task.
  var limiterWait: Int64 = 0
  var occasionWait: Int64 = 0
  var startWait: Int64 = 0
  var awake = Stopwatch()
  var radio = RadioClock()
  var end: Int64 = 0

  /// Adds up why the next task is started at `now` and not when it was created, or when the link fell idle.
  mutating func noteWait(of task: DownloadTask, idleSince: Int64, at now: Int64) {
    let from = max(task.created, idleSince)
    let limited = min(now, max(from, task.limited))
    let released = min(now, max(limited, task.released))
    limiterWait += limited - from
    occasionWait += released - limited
    startWait += now - released
  }
}
