// What must hold between any two events of the flow transport, looked at in debug builds only.
// Bytes written are sent, lost or waiting; runs leave the link one after another and no faster than its rate.

extension FlowTransport {
  /// Whether everything adds up; stops the program where it does not. O(connections × runs).
  func isConserving() -> Bool {
    var place = 0
    while place < connections.count {
      if !connections[place].isFree, !connections[place].isStopped { checkSender(place) }
      place += 1
    }
    checkLink()
    return true
  }

  /// Bytes written = arrived or on their way + lost + unsent; packets in flight = those of its runs and those that none tells of.
  private func checkSender(_ place: Int) {
    let connection = connections[place]
    var (runs, packets, lost, lostBytes) = (0, 0, 0, Int64(0))
    var number = down.runs.head
    while number < down.runs.tail {
      let run = down.runs[number]
      number += 1
      guard Int(run.place) == place else { continue }
      runs += 1
      if run.isControl { continue }
      packets += Int(run.packets)
      lost += Int(run.lost)
      lostBytes += Int64(run.lostBytes)
    }
    precondition(runs == Int(connection.runs), "connection \(place) knows \(connection.runs) of \(runs) runs")
    precondition(packets + connection.hidden.packets == connection.inFlight, "connection \(place): packets in flight")
    precondition(lost + connection.hidden.packets == connection.lostOut, "connection \(place): packets lost")
    precondition(
      connection.written == connection.arriving + connection.unsent + connection.hidden.bytes + lostBytes,
      "connection \(place): \(connection.written) bytes written, \(connection.arriving) arriving, \(connection.unsent) unsent")
    precondition(connection.unsent >= connection.repeatBytes && connection.repeatBytes >= 0, "connection \(place): repeats")
  }

  /// Runs are in the order of the link, and no two share it.
  private func checkLink() {
    var number = down.runs.head
    while number < down.runs.tail {
      let run = down.runs[number]
      precondition(run.departs0 <= run.departs1 && run.acked0 <= run.acked1 && run.packets >= 0, "a run is in order")
      if number > down.runs.head {
        let before = down.runs[number - 1]
        precondition(before.departs1 <= run.departs1 && before.acked1 <= run.acked1, "runs keep their order")
        if let fastest = down.schedule.constantTimePerByte {
          let wire = run.bytes + Int64(run.queued) * Int64(PacketSize.header)
          // Every packet of a run may have been rounded down by a nanosecond.
          let least = (wire * fastest) >> 20 - Int64(run.queued) - 1
          precondition(run.departs1 - before.departs1 >= least, "the link carries more than its rate")
        }
      }
      number += 1
    }
  }
}
