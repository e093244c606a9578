import Foundation

/// Keeps a ``SignInScreen`` true to a client, runs the sign-ins that its buttons begin, and asks the questions of their
/// steps. Give it to the environment as prompter and as presenter of device codes, and call ``follow(_:)`` while the
/// screen is shown.
public actor SignInEngine: FlowPrompter, DeviceCodePresenter {
    /// What is shown now.
    public private(set) var screen = SignInScreen() {
        didSet { if screen != oldValue { for stream in streams.values { stream.yield(screen) } } }
    }

    private var client: IdentityClient?
    private var task: Task<Void, Never>?
    /// Numbers sign-ins and questions, so that the end of an earlier one changes nothing.
    private var turn = 0
    private var question = 0
    private var waiting: CheckedContinuation<PromptAnswer, any Error>?
    private var streams: [UUID: AsyncStream<SignInScreen>.Continuation] = [:]

    /// An engine without a client.
    public init() {}

    /// The screens from now on, the present one first. A slow reader gets the newest.
    public func screens() -> AsyncStream<SignInScreen> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SignInScreen.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        streams[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
        continuation.yield(screen)
        return stream
    }

    /// Shows what `client` has, until the task is cancelled. A change of the configuration ends the sign-in under way.
    public func follow(_ client: IdentityClient) async {
        self.client = client
        let events = client.events()
        await refresh()
        for await event in events {
            switch event {
            case .configurationChanged:
                if stop() { screen.notice = .configurationChanged }
            case .suspended(_, let suspension): screen.notice = .words(suspension.reason)
            case .configurationRejected(let reason): screen.notice = .words(reason)
            case .signedIn, .fellBack, .sessionEnded, .belongsElsewhere, .signedOut: break
            }
            await refresh()
        }
        stop()
    }

    /// Does what a button says. A button that is not on the screen, or rests, does nothing.
    public func perform(_ action: SignInScreen.Action) async {
        guard let client else { return }
        switch action {
        case .signIn(let name): begin(at: name, of: client)
        case .continueAs(let account):
            do { try await client.select(account) } catch { screen.notice = Self.notice(of: error) }
        case .answer(let identifier): send(identifier)
        case .cancel: stop()
        }
    }

    /// Notes what was typed or chosen in a field of the open step.
    public func enter(_ text: Secret, in field: String) {
        screen.values[field] = text
        screen.problems[field] = nil
    }

    /// Shows a step, and waits for the person.
    /// - Throws: `CancellationError` when the person or a change of the configuration ends the sign-in.
    public func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        close()
        question += 1
        let asked = question
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A sign-in that ended meanwhile opens no step.
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiting = continuation
                show(prompt)
            }
        } onCancel: {
            Task { await self.close(question: asked) }
        }
    }

    /// Shows a code for another device.
    /// - Throws: `CancellationError` when the sign-in has ended.
    public func show(_ code: DeviceCode) async throws {
        try Task.checkCancellation()
        screen.deviceCode = code
        screen.isBusy = false
    }

    private func begin(at name: String, of client: IdentityClient) {
        guard task == nil else { return }
        turn += 1
        let begun = turn
        screen.notice = nil
        screen.isBusy = true
        task = Task {
            do {
                try await client.signIn(with: name)
                self.end(begun, nil)
            } catch {
                self.end(begun, error)
            }
            await self.refresh()
        }
    }

    private func end(_ ended: Int, _ error: (any Error)?) {
        guard ended == turn else { return }
        stop()
        if let error { screen.notice = Self.notice(of: error) } else { screen.values = [:] }
    }

    /// Ends the sign-in under way, and tells whether there was one. What was typed stays, without the secrets.
    @discardableResult
    private func stop() -> Bool {
        let wasRunning = task != nil
        turn += 1
        task?.cancel()
        task = nil
        close()
        if let prompt = screen.prompt { forgetSecrets(of: prompt) }
        screen.prompt = nil
        screen.deviceCode = nil
        screen.problems = [:]
        screen.isBusy = false
        return wasRunning
    }

    private func close(question asked: Int) { if asked == question { close() } }

    private func close() {
        waiting?.resume(throwing: CancellationError())
        waiting = nil
    }

    private func show(_ prompt: SignInPrompt) {
        if let earlier = screen.prompt { forgetSecrets(of: earlier) }
        screen.values = screen.values.filter { value in prompt.fields.contains { $0.identifier == value.key } }
        screen.problems = [:]
        screen.deviceCode = nil
        screen.prompt = prompt
        screen.isBusy = false
    }

    private func forgetSecrets(of prompt: SignInPrompt) {
        for field in prompt.fields where field.kind.isSecret { screen.values[field.identifier] = nil }
    }

    private func send(_ identifier: String?) {
        guard let prompt = screen.prompt, let waiting else { return }
        let action = prompt.actions.first { $0.identifier == identifier }
        guard action != nil || identifier == nil else { return }
        let usesFields = action.map { $0.purpose == .goOn } ?? true
        if usesFields {
            for field in prompt.fields {
                screen.problems[field.identifier] = field.problem(with: screen.values[field.identifier])
            }
            guard screen.problems.isEmpty else { return }
        }
        let values = screen.values.filter { value in
            usesFields && prompt.fields.contains { $0.identifier == value.key }
        }
        self.waiting = nil
        screen.isBusy = true
        waiting.resume(returning: PromptAnswer(values: values, action: identifier))
    }

    private func refresh() async {
        guard let client else { return }
        let accounts = (try? await client.accounts().accounts) ?? []
        let candidates = client.signInCandidates(replacing: nil).filter(\.mayShowSignIn)
        screen.backends = candidates.map { SignInScreen.Backend(name: $0.name) }
        screen.people = accounts.compactMap { summary in
            let name = summary.profile?.displayName ?? summary.account.account
            let place = candidates.first { $0.realms.contains(summary.account.realm) }?.name
            return switch summary.session {
            case .live: SignInScreen.Person(account: summary.account, name: name)
            case .suspended, .ended:
                place.map { SignInScreen.Person(account: summary.account, name: name, signInAt: $0) }
            case .kept: nil
            }
        }
    }

    private func forget(_ id: UUID) { streams[id] = nil }

    private static func notice(of error: any Error) -> SignInScreen.Notice? {
        if error is CancellationError { return nil }
        let failure = error as? any IdentityFailure
        if failure?.failureCode.contains("clock") == true { return .clockWrong }
        return error is TransportError ? .offline : .words(error.identityMessage)
    }
}
