#if !canImport(UIKit) && !canImport(AppKit)
extension AutoSave {
    /// Does nothing, because this platform has no background notifications.
    static func saveInBackground() {}
}
#endif
