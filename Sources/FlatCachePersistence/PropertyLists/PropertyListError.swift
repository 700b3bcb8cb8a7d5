/// Why something is not the property-list value that was asked for.
///
/// Nothing is converted in silence: a string is never read as a number, a Boolean never as an
/// integer, and a number only as one that it is exactly.
public struct PropertyListError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// There is a value of another kind than the one that was asked for.
        case mismatch(expected: String, found: String)
        /// There is a number that the type that was asked for does not have.
        case outOfRange(expected: String, value: String)
        /// There is something that a property list cannot hold.
        case unsupported(String)
        /// Values are nested more deeply than ``PropertyListValue/maximumDepth``.
        case tooDeep
        /// There is something else than a property list, for a reason given in words.
        case notUnderstood(String)
    }

    /// One step from a container to what is inside.
    public enum Step: Hashable, Sendable {
        /// Into a dictionary.
        case key(String)
        /// Into an array.
        case index(Int)
    }

    /// What is wrong.
    public let reason: Reason

    /// Where it is: the steps into the value that was read, outermost first.
    public let path: [Step]

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - reason: What is wrong.
    ///   - path: Where it is, outermost step first.
    public init(_ reason: Reason, path: [Step] = []) {
        self.reason = reason
        self.path = path
    }

    /// Calls a closure for what is inside a container, and puts the step before the path of what it
    /// throws.
    ///
    /// - Parameters:
    ///   - step: How the closure's value is reached.
    ///   - body: Called once.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    static func within<Value>(_ step: Step, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PropertyListError {
            throw PropertyListError(error.reason, path: [step] + error.path)
        }
    }
}

extension PropertyListError: CustomStringConvertible {
    /// What is wrong, and where.
    public var description: String {
        path.isEmpty ? "\(reason)." : "\(reason), at \(path.map(\.description).joined())."
    }
}

extension PropertyListError.Reason: CustomStringConvertible {
    /// What is wrong, as the beginning of a sentence.
    public var description: String {
        switch self {
        case .mismatch(let expected, let found):
            "Expected \(expected), but there is \(found)"
        case .outOfRange(let expected, let value):
            "Expected \(expected), but there is \(value), which it cannot be exactly"
        case .unsupported(let what):
            "A property list cannot hold \(what)"
        case .tooDeep:
            "Values are nested in more than \(PropertyListValue.maximumDepth) levels"
        case .notUnderstood(let why):
            "This is not a property list: \(why)"
        }
    }
}

extension PropertyListError.Step: CustomStringConvertible {
    /// The step as a subscript.
    public var description: String {
        switch self {
        case .key(let key): "[\(key.debugDescription)]"
        case .index(let index): "[\(index)]"
        }
    }
}
