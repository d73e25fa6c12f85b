// The occasions on which a prefetcher is asked for its plan.

/// A set of occasions. At one instant a prefetcher is asked once, with all that apply.
public struct PlanTrigger: OptionSet, Hashable, Sendable {
  /// One bit for each occasion.
  public let rawValue: UInt8
  /// The set with the given bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item has become active.
  public static let activation = PlanTrigger(rawValue: 1)
  /// The finger has left the screen, and it is known where the movement will end.
  public static let dragEnd = PlanTrigger(rawValue: 2)
  /// The content has moved: 60 times a second while it does.
  public static let scrollTick = PlanTrigger(rawValue: 4)
  /// A transfer has come to its end.
  public static let transferFinished = PlanTrigger(rawValue: 8)
  /// A page has come.
  public static let listGrown = PlanTrigger(rawValue: 16)
  /// The app went to the background or came back, or memory is short.
  public static let stateChange = PlanTrigger(rawValue: 32)
  /// The time has come that the last plan named (`Plan.askAgain`); without it in the trigger, that is ignored.
  public static let askedFor = PlanTrigger(rawValue: 64)

  /// Activations, and changes of the list or of the app's state.
  public static let standard: PlanTrigger = [.activation, .listGrown, .stateChange]
}
