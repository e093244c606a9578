import Foundation
import IdentityKit

extension TokenStoreConformance {
    static let leases: [Check] = [
        Check("A lease excludes others until it is released") { subject in
            let lease = try await subject.lease()
            let other = try await subject.reopen()
            for store in [subject.store, other] {
                let second = try await store.lease(for: subject.key)
                try subject.expect(second == nil, "there are two leases at once")
            }
            await lease.release()
            let next = try await other.lease(for: subject.key)
            try subject.expect(next != nil, "it stays taken after its release")
            await next?.release()
        },
        Check("A lease that is dropped is over") { subject in
            var lease: (any StoreLease)? = try await subject.lease()
            try subject.expect(lease != nil, "there is none")
            lease = nil
            let next = try await subject.store.lease(for: subject.key)
            try subject.expect(next != nil, "it stays taken")
            await next?.release()
        },
        Check("Leases of different records do not exclude each other") { subject in
            let lease = try await subject.lease()
            let other = try await subject.store.lease(for: StoreKey(.accounts, "conformance/bob"))
            try subject.expect(other != nil, "one record's lease takes another's")
            await lease.release()
            await other?.release()
        },
        Check("A lease does not prevent other writes, and a result based on an older generation then conflicts") {
            subject in
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            let lease = try await subject.lease()
            try await subject.store.write(nil, for: subject.key, replacing: 1)
            try await subject.expectConflict(2) { try await lease.write(Data("b".utf8), replacing: 1) }
            await lease.release()
            let record = try await subject.store.record(for: subject.key)
            try subject.expect(record?.content == nil, "the erased record came back")
        },
        Check("The last write through a lease is a write like any other, and the release after it frees the lease") {
            subject in
            let lease = try await subject.lease()
            let written = try await lease.writeLast(Data("a".utf8), replacing: 0)
            try subject.expect(try await subject.store.record(for: subject.key) == written, "it was not written")
            await lease.release()
            let next = try await subject.lease()
            try await subject.expectConflict(1) { try await next.writeLast(Data("b".utf8), replacing: 0) }
            await next.release()
            try await subject.lease().release()
        },
        Check("A write through a lease is a write like any other, and can be repeated") { subject in
            let lease = try await subject.lease()
            for generation: UInt64 in [0, 1] {
                let content = Data("\(generation)".utf8)
                let written = try await lease.write(content, replacing: generation)
                try subject.expect(written.generation == generation + 1, "the generation is \(written.generation)")
                let read = try await subject.store.record(for: subject.key)
                try subject.expect(read == written && read?.content == content, "it was not written")
            }
            await lease.release()
        },
    ]
}

extension TokenStoreConformance.Subject {
    fileprivate func lease() async throws -> any StoreLease {
        guard let lease = try await store.lease(for: key) else {
            throw ConformanceError(promise: promise, detail: "a free lease is not granted")
        }
        return lease
    }
}
