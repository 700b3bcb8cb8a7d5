public import FlatCache
public import Foundation

// `localizedDescription` reads these properties. Without them, it names only the type of the error.

extension LoadError: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension WaitingError: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension SequenceIngestionError: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension CursorError: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension JSONLineError: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension JSONAPIErrors: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension JSONAPIError: LocalizedError {
    /// The error's `description`, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}
