// The download tasks of a run: files to fetch, submitted tasks, completed files.

struct DownloadTask: BitwiseCopyable {
  var file: Int
  var created: Int64
  /// The end of the limiter's delay; `created` without one.
  var limited: Int64
  /// The earliest start: the end of the limiter's delay plus the wait for suitable conditions.
  var released: Int64
}

/// The files of a run and the tasks that fetch them. Tasks start in the order of their creation.
struct TaskQueue {
  let bytes: ContiguousArray<Int64>
  let filesPerResource: Int
  private(set) var tasks: ContiguousArray<DownloadTask> = []
  var started = 0
  private var finished = 0
  /// The submitted tasks that are not complete.
  private(set) var outstanding = 0
  private var nextFile = 0
  /// The files of cancelled tasks, in descending order; the next one is last.
  private var cancelledFiles: ContiguousArray<Int> = []

  init(bytes: ContiguousArray<Int64>, filesPerResource: Int) { (self.bytes, self.filesPerResource) = (bytes, filesPerResource) }

  /// The files without a task.
  var left: Int { cancelledFiles.count + bytes.count - nextFile }
  /// The files without a task of the next resource.
  var leftOfResource: Int {
    if let file = cancelledFiles.last { return cancelledFiles.count { $0 / filesPerResource == file / filesPerResource } }
    return min(left, filesPerResource - nextFile % filesPerResource)
  }
  var isComplete: Bool { finished == bytes.count }
  var head: DownloadTask? { started < tasks.count ? tasks[started] : nil }

  mutating func create(at now: Int64, limited: Int64, released: Int64) {
    let again = cancelledFiles.popLast()
    let file = again ?? nextFile
    if again == nil { nextFile += 1 }
    // The daemon serves the tasks of a session in order.
    tasks.append(DownloadTask(file: file, created: now, limited: limited, released: max(released, tasks.last?.released ?? 0)))
    outstanding += 1
  }

  mutating func finish() {
    finished += 1
    outstanding -= 1
  }

  mutating func endLimit(at now: Int64) {
    for index in started..<tasks.count where tasks[index].limited > now {
      tasks[index].released = now + (tasks[index].released - tasks[index].limited)
      tasks[index].limited = now
    }
  }

  /// Cancels all incomplete tasks and returns their number; `running` are the files in flight.
  mutating func cancelAll(running: [Int]) -> Int {
    cancelledFiles.append(contentsOf: running + tasks[started...].map(\.file))
    cancelledFiles.sort(by: >)
    tasks.removeLast(tasks.count - started)
    defer { outstanding = 0 }
    return outstanding
  }
}
