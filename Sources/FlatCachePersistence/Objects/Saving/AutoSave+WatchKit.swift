#if os(watchOS)
import Foundation
import WatchKit

extension AutoSave {
    /// Begins to save whenever the app goes to the background.
    static func saveInBackground() {
        // The name belongs to the main actor in some versions of the SDK.
        Task { @MainActor in
            // It goes on for as long as the process runs, so the token is of no use.
            _ = NotificationCenter.default.addObserver(
                forName: WKApplication.didEnterBackgroundNotification,
                object: nil,
                queue: nil
            ) { _ in AutoSave.saveUnsavedObjects() }
        }
    }
}
#endif
