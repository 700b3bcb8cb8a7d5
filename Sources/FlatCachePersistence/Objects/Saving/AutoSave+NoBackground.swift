#if !canImport(UIKit) && !canImport(AppKit)
extension AutoSave {
    /// Does nothing: programs have no background here.
    static func saveInBackground() {}
}
#endif
