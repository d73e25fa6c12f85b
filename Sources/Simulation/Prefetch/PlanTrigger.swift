// The occasions on which a prefetcher is asked for its plan.

/// A set of occasions. At one instant a prefetcher is asked once, with all that apply.
package struct PlanTrigger: OptionSet, Hashable, Sendable {
  /// One bit for each occasion.
  package let rawValue: UInt8
  /// The set with the given bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item has become active.
  package static let activation = PlanTrigger(rawValue: 1)
  /// The finger has left the screen, and it is known where the movement will end.
  package static let dragEnd = PlanTrigger(rawValue: 2)
  /// The content has moved: 60 times a second while it does.
  package static let scrollTick = PlanTrigger(rawValue: 4)
  /// A transfer has come to its end.
  package static let transferFinished = PlanTrigger(rawValue: 8)
  /// A page has come.
  package static let listGrown = PlanTrigger(rawValue: 16)
  /// The app went to the background or came back, or memory is short.
  package static let stateChange = PlanTrigger(rawValue: 32)
  /// The time has come that the last plan named (`Plan.askAgain`); without it in the trigger, that is ignored.
  package static let askedFor = PlanTrigger(rawValue: 64)

  /// Activations, and changes of the list or of the app's state.
  package static let standard: PlanTrigger = [.activation, .listGrown, .stateChange]
}
