import Foundation

/// The value that rows about `@Persisted` in the user's defaults compare with: the one that a plain
/// call returns.
final class PlainDefaultsProperty<Value>: PropertySubject {
    private let defaults: UserDefaults
    private let placeholder: Value

    init(_ defaults: UserDefaults, _ placeholder: Value) {
        self.defaults = defaults
        self.placeholder = placeholder
    }

    @inline(__always)
    var value: Value { defaults.object(forKey: "value") as? Value ?? placeholder }
}
