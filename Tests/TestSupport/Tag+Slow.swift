package import Testing

extension Tag {
    /// The tag of tests that take a second or longer, such as those that start processes.
    @Tag package static var slow: Self
}
