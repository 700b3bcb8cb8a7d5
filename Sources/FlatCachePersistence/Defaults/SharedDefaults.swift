import Foundation

/// A `UserDefaults` object that several threads use.
struct SharedDefaults: @unchecked Sendable {
    // Constant, and guarded by itself: its documentation says that any thread may use it, though on Linux
    // it is not declared so. (What `register(defaults:)` changes there is under no lock: call that early.)
    let object: UserDefaults

    init(_ object: UserDefaults) {
        self.object = object
    }
}
