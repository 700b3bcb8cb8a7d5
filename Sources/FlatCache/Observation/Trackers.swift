import Observation

/// Those who track a state that the cache has.
///
/// Apart from what they track, so that an observation can tell them without keeping that alive.
package final class Trackers: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// What they are said to read and what is said to change; it stands for what the cache has.
    private var state: Void { () }

    /// Notes whoever tracks what the current task reads.
    package func note() { registrar.access(self, keyPath: \.state) }

    /// Tells those who have been noted, who then are no more.
    package func tell() { registrar.withMutation(of: self, keyPath: \.state) {} }
}
