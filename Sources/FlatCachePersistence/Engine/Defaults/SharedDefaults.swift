import Foundation

/// A `UserDefaults` object that several threads use.
struct SharedDefaults: @unchecked Sendable {
    // The object is constant and thread-safe according to its documentation, although Foundation on
    // Linux doesn't declare it `Sendable`. (On Linux, `register(defaults:)` changes its values
    // without a lock: call it early.)
    let object: UserDefaults

    init(_ object: UserDefaults) {
        self.object = object
    }
}
