/// An object that can save itself automatically.
protocol AutoSaving: AnyObject, Sendable {
    func saveAutomatically()
}
