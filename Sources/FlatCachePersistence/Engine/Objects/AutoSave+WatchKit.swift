#if os(watchOS)
import Foundation
import WatchKit

extension AutoSave {
    /// Starts to save when the app enters the background.
    static func saveInBackground() {
        // The name is isolated to the main actor in some versions of the SDK.
        Task { @MainActor in
            // The observation lasts until the process ends, so the token isn't needed.
            _ = NotificationCenter.default.addObserver(
                forName: WKApplication.didEnterBackgroundNotification,
                object: nil,
                queue: nil
            ) { _ in AutoSave.saveUnsavedObjects() }
        }
    }
}
#endif
