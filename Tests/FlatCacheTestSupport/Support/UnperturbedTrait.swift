import FlatCache
package import Testing

extension Trait where Self == ConditionTrait {
    /// Runs the tests only without perturbation, which chooses between the ways that the
    /// documentation allows.
    package static var unperturbed: Self {
        #if TestHooks
        .enabled(if: Perturbation.seed == nil)
        #else
        .enabled(if: true)
        #endif
    }
}
