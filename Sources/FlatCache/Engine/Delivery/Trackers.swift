import Observation

/// The trackers of a state, which the Observation framework notifies of its next change.
///
/// This object is separate from the observable object, so that an observation can notify the
/// trackers without keeping the observable object alive.
package final class Trackers: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// A property that stands for the state in calls to the registrar.
    private var state: Void { () }

    /// Registers the current tracker, if there is one.
    package func access() { registrar.access(self, keyPath: \.state) }

    /// Notifies the registered trackers and clears the list.
    package func notify() { registrar.withMutation(of: self, keyPath: \.state) {} }
}
