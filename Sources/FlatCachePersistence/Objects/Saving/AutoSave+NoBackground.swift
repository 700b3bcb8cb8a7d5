#if !canImport(UIKit)
extension AutoSave {
    /// Does nothing: programs have no background here, or go on to run in it.
    static func saveInBackground() {}
}
#endif
