/// A repository that keeps its data under a key of a storage that others may use as well.
protocol StorageBackedRepository: ObjectRepository {
    func makeAccess() -> any ValueAccess<ObjectContent>
}
