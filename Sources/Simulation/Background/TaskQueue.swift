// The tasks of a run: what there is to fetch, what the app has handed to the daemon, and what has come.

/// One task as the daemon knows it.
struct DownloadTask: BitwiseCopyable {
  /// Which of the run's files it fetches.
  var file: Int
  /// When the app created it.
  var created: Int64
  /// Until when the limiter holds it; `created` where it does not.
  var limited: Int64
  /// When it may start: the limiter's end and the wait for an occasion.
  var released: Int64
}

/// The files of a run and the tasks that fetch them. Tasks start in the order in which they were created.
struct TaskQueue {
  /// The bytes of each file, in the order in which they are asked for.
  let bytes: ContiguousArray<Int64>
  /// How many files make a resource.
  let filesPerResource: Int
  private(set) var tasks: ContiguousArray<DownloadTask> = []
  var started = 0
  private var finished = 0
  /// Tasks that are with the daemon and not complete.
  private(set) var outstanding = 0
  private var nextFile = 0
  /// Files whose tasks were cancelled, the next one last.
  private var lost: ContiguousArray<Int> = []

  init(bytes: ContiguousArray<Int64>, filesPerResource: Int) { (self.bytes, self.filesPerResource) = (bytes, filesPerResource) }

  /// Files that no task fetches yet.
  var left: Int { lost.count + bytes.count - nextFile }
  /// Files that are left of the resource that is next.
  var leftOfResource: Int {
    if let file = lost.last {
      let resource = file / filesPerResource
      return lost.count { $0 / filesPerResource == resource }
    }
    return min(left, filesPerResource - nextFile % filesPerResource)
  }
  var isComplete: Bool { finished == bytes.count }
  /// The task that starts next.
  var head: DownloadTask? { started < tasks.count ? tasks[started] : nil }

  /// Creates the next task.
  mutating func create(at now: Int64, limited: Int64, released: Int64) {
    let again = lost.popLast()
    let file = again ?? nextFile
    if again == nil { nextFile += 1 }
    // The daemon serves a session in order.
    tasks.append(DownloadTask(file: file, created: now, limited: limited, released: max(released, tasks.last?.released ?? 0)))
    outstanding += 1
  }

  /// A file has come.
  mutating func finish() {
    finished += 1
    outstanding -= 1
  }

  /// The limiter lets go of all that wait for it.
  mutating func endLimit(at now: Int64) {
    for index in started..<tasks.count where tasks[index].limited > now {
      tasks[index].released = now + (tasks[index].released - tasks[index].limited)
      tasks[index].limited = now
    }
  }

  /// Cancels every task that is not complete; `running` are the files on the way.
  mutating func cancelAll(running: [Int]) -> Int {
    let waiting = tasks[started...].map(\.file)
    lost.append(contentsOf: running + waiting)
    lost.sort(by: >)
    tasks.removeLast(tasks.count - started)
    let count = outstanding
    outstanding = 0
    return count
  }
}
