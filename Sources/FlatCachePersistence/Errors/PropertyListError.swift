/// An error of reading or writing a property-list value.
///
/// ```swift
/// do {
///     _ = try Int(propertyListValue: .string("12"))
/// } catch let error as PropertyListError {
///     print(error)  // Expected a number, but found a string.
/// }
/// ```
///
/// The library doesn't convert values implicitly: it never reads a string as a number or a Boolean
/// as an integer, and it reads a number only as a type that represents it exactly or, for a
/// floating-point type, with the same decimal digits.
public struct PropertyListError: Error, Hashable, Sendable {
    /// The reason of a failure.
    public enum Reason: Hashable, Sendable {
        /// The value has another kind than the requested type.
        case mismatch(expected: String, found: String)
        /// The requested type can't represent the number.
        case outOfRange(expected: String, value: String)
        /// A property list can't hold the value.
        case unsupported(String)
        /// Values are nested more deeply than ``PropertyListValue/maximumDepth``.
        case tooDeep
        /// The bytes aren't a property list; the associated text states the reason.
        case notUnderstood(String)
    }

    /// A step from a container to one of its elements.
    public enum Step: Hashable, Sendable {
        /// A step to the value for a key of a dictionary.
        case key(String)
        /// A step to the element at an index of an array.
        case index(Int)
    }

    /// The reason of the failure.
    public let reason: Reason

    /// The location of the failure: the steps from the outermost value to the element at fault.
    public let path: [Step]

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - reason: The reason of the failure.
    ///   - path: The location of the failure, outermost step first.
    public init(_ reason: Reason, path: [Step] = []) {
        self.reason = reason
        self.path = path
    }

    /// Calls a closure for an element of a container, and prepends the step to the path of the
    /// errors that the closure throws.
    ///
    /// - Parameters:
    ///   - step: The step from the container to the element.
    ///   - body: The closure. It's called once.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    static func within<Value>(_ step: Step, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PropertyListError {
            throw PropertyListError(error.reason, path: [step] + error.path)
        }
    }
}

extension PropertyListError: CustomStringConvertible {
    /// A sentence that states the reason and the location.
    public var description: String {
        path.isEmpty ? "\(reason)." : "\(reason), at \(path.map(\.description).joined())."
    }
}

extension PropertyListError.Reason: CustomStringConvertible {
    /// The reason, as the beginning of a sentence.
    public var description: String {
        switch self {
        case .mismatch(let expected, let found):
            "Expected \(expected), but found \(found)"
        case .outOfRange(let expected, let value):
            "Expected \(expected), but it can't represent \(value) exactly"
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
