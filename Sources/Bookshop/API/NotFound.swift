/// The error of a request that the API has no response to.
struct NotFound: Error {}
