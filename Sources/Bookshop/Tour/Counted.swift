/// Returns a count and a noun, such as "1 book" or "2 books".
func counted(_ count: Int, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
}
