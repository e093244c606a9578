/// Those who wait for something, in the order in which they came. Coming is an append and leaving a search, however many wait.
/// Inlinable, because a generic value that is not is behind witnesses in other modules.
package struct WaitingLine<Waiter: Sendable>: Sendable {
    /// By rising number; the waiter is `nil` when it has left.
    @usableFromInline var places: [(number: UInt64, waiter: Waiter?)] = []
    /// How many of the first places are empty.
    @usableFromInline var head = 0
    @usableFromInline package internal(set) var count = 0

    @inlinable package init() {}

    /// Adds a waiter.
    /// - Parameter number: identifies it. Numbers are given as callers come, so one of them is seldom late.
    @inlinable package mutating func append(_ waiter: Waiter, as number: UInt64) {
        var position = places.count
        while position > head, places[position - 1].number > number { position -= 1 }
        places.insert((number, waiter), at: position)
        count += 1
    }

    /// Removes the waiter with this number; `nil` when it does not wait.
    @inlinable package mutating func remove(_ number: UInt64) -> Waiter? {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].number == number, let waiter = places[low].waiter else { return nil }
        places[low].waiter = nil
        count -= 1
        return waiter
    }

    /// Removes the one who came first; `nil` when nobody waits.
    @inlinable package mutating func removeFirst() -> Waiter? {
        while head < places.count {
            let waiter = places[head].waiter
            places[head].waiter = nil
            head += 1
            guard let waiter else { continue }
            count -= 1
            // Seldom, so that it costs little for each.
            if head > 64, head * 2 > places.count {
                places.removeFirst(head)
                head = 0
            }
            return waiter
        }
        (places, head) = ([], 0)
        return nil
    }

    @inlinable package var waiters: [Waiter] { places.compactMap(\.waiter) }
}
