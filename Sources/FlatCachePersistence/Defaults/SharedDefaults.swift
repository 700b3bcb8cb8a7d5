import Foundation

/// A `UserDefaults` object that several threads use.
struct SharedDefaults: @unchecked Sendable {
    // Constant, and guarded by itself: its documentation says that any thread may use it. On Linux it is
    // not declared so.
    let object: UserDefaults

    init(_ object: UserDefaults) {
        self.object = object
    }
}
