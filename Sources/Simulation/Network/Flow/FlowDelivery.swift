// What waits between the flow transport's link and the client: the ends of responses, and parts where responses are read in parts.

/// What the client can read from an instant on.
struct FlowDelivery: BitwiseCopyable {
  var time: Int64
  var transfer: Int32
  var generation: UInt32
  /// Payload and header bytes of a response that is read in parts; 0 for one that is not.
  var bytes: Int64 = 0
  var isLast = false
}
