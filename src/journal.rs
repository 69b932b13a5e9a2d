//! Owns the journal on disk: what is about to be written to YNAB, then what came of it. Never talks to YNAB, and never
//! drops a line, not even one it cannot read.
//!
//! One JSON object a line, append-only, synced. An `intent` line names the operation, its plan, its steps with the
//! values before, and the process that will send them; a `step` line says what became of one step. Nothing else is
//! stored: what is in doubt, undone or left is derived from these lines.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::confirm::Confirmed;
use crate::error::Refusal;
use crate::ids::{OperationId, PlanId};
use crate::refuse;
use crate::writes::{Done, Kind, Landed, Operation, Proposal, Step, StepState, legacy};

/// The version of the lines written now.
const VERSION: u8 = 2;
/// How long another process may hold the file before a write is refused.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(3);

/// A confirmed change whose intent is on disk. Only this file makes one.
pub struct Recorded {
    operation: OperationId,
    proposal: Proposal,
    knowledge: i64,
    _flight: Flight,
}

impl Recorded {
    /// Its operation's id.
    pub fn operation(&self) -> &OperationId {
        &self.operation
    }

    /// The plan it changes.
    pub fn plan(&self) -> &PlanId {
        &self.proposal.plan
    }

    /// The requests it makes, in order.
    pub fn steps(&self) -> &[Step] {
        &self.proposal.steps
    }

    /// What sort of change it is.
    pub fn kind(&self) -> Kind {
        self.proposal.kind
    }

    /// The operation that it takes back, when it is an undo.
    pub fn undoes(&self) -> Option<&OperationId> {
        self.proposal.undoes.as_ref()
    }

    /// YNAB's knowledge just before.
    pub fn knowledge(&self) -> i64 {
        self.knowledge
    }

    /// What the answer says once it is applied.
    pub fn done(&self) -> &str {
        &self.proposal.done
    }
}

/// The turn to write to YNAB.
pub struct Turn {
    _lock: Option<File>,
}

/// As long as this lives, its operation is under way here, and what is open about it is no doubt.
struct Flight {
    operation: OperationId,
    under_way: Arc<Mutex<HashSet<OperationId>>>,
}

impl Drop for Flight {
    fn drop(&mut self) {
        held(&self.under_way).remove(&self.operation);
    }
}

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line {
    /// A change is about to be sent.
    Intent {
        v: u8,
        operation_id: OperationId,
        plan_id: PlanId,
        kind: Kind,
        at: String,
        process: String,
        knowledge: i64,
        #[serde(default)]
        fingerprint: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        undoes: Option<OperationId>,
        steps: Vec<Step>,
    },
    /// What became of one of its steps.
    Step {
        v: u8,
        operation_id: OperationId,
        step: usize,
        state: StepState,
        #[serde(default)]
        landed: Landed,
        #[serde(default, skip_serializing_if = "Heard::is_yes")]
        heard: Heard,
    },
}

/// Whether the agent was told what came of a step. One that perhaps was not may ask for the same change again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heard {
    /// It was answered.
    #[default]
    Yes,
    /// The call was cancelled, or its process died.
    Perhaps,
}

impl Heard {
    fn is_yes(&self) -> bool {
        *self == Self::Yes
    }
}

/// An operation with steps that were perhaps sent, by a process that is gone or a call that is over.
#[derive(Clone, Debug)]
pub struct Doubtful {
    /// The operation; its doubtful steps are [`StepState::Doubt`].
    pub operation: Operation,
    /// The operation it takes back, when it is an undo.
    pub undoes: Option<OperationId>,
    /// YNAB's knowledge when the intent was recorded.
    pub knowledge: i64,
}

/// A change that was applied while nobody may have heard of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheard {
    /// Its operation.
    pub operation: OperationId,
    /// Whether all of it was applied.
    pub whole: bool,
}

/// What the journal holds, read whole.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Operations, oldest first; undo operations are folded into those that they take back.
    pub operations: Vec<Operation>,
    /// What nobody knows the outcome of.
    pub doubtful: Vec<Doubtful>,
    /// Changes that were applied while nobody may have heard of it, by their fingerprints.
    pub unheard: HashMap<String, Unheard>,
    /// Lines that cannot be read, in words: where they are.
    pub damaged: Vec<String>,
    /// Lines that a crash cut short while they were written, in words: where they are. What such a line was about was
    /// never sent, or is in doubt by its intent.
    pub torn: Vec<String>,
}

/// The journal of this process.
pub struct Journal {
    place: Place,
    process: String,
    /// What this process is writing to YNAB now.
    under_way: Arc<Mutex<HashSet<OperationId>>>,
    /// The file that this process holds locked while it lives, made with the first intent.
    alive: Mutex<Option<(PathBuf, File)>>,
}

enum Place {
    /// On disk: the file, and the Python server's beside it.
    Disk { file: PathBuf, python: Option<PathBuf> },
    /// In memory, for the demo plan.
    Memory(Mutex<Vec<u8>>),
    /// Nowhere: no home folder and no name given.
    Nowhere,
}

impl Journal {
    /// The file that the user names, else `journal-v2.jsonl` in the state folder with the Python server's beside it.
    pub fn on_disk(named: Option<PathBuf>, state: Option<PathBuf>, process: String) -> Self {
        let place = match (named, state) {
            (Some(file), _) => Place::Disk { file, python: None },
            (None, Some(folder)) => {
                Place::Disk { file: folder.join("journal-v2.jsonl"), python: Some(folder.join("journal.jsonl")) }
            }
            (None, None) => Place::Nowhere,
        };
        Self { place, process, under_way: Arc::default(), alive: Mutex::new(None) }
    }

    /// A journal that ends with the process.
    pub fn in_memory() -> Self {
        let place = Place::Memory(Mutex::default());
        Self { place, process: String::new(), under_way: Arc::default(), alive: Mutex::new(None) }
    }

    /// Where it is on disk.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Disk { file, .. } => Some(file),
            Place::Memory(_) | Place::Nowhere => None,
        }
    }

    /// Puts the intent on disk, synced. Refused when that cannot be done: then nothing may be sent.
    pub fn record(
        &self,
        confirmed: Confirmed,
        operation: OperationId,
        at: String,
        knowledge: i64,
    ) -> Result<Recorded, Refusal> {
        let proposal = confirmed.into_proposal();
        let flight = self.intend(&proposal, &operation, at, knowledge)?;
        Ok(Recorded { operation, proposal, knowledge, _flight: flight })
    }

    /// Under the yes of a recorded change: the intent to put one of its applied steps back, for when a later one failed.
    pub fn record_back(
        &self,
        recorded: &Recorded,
        back: Step,
        operation: OperationId,
        at: String,
        knowledge: i64,
    ) -> Result<Recorded, Refusal> {
        let mut proposal = recorded.proposal.clone();
        proposal.steps = vec![back];
        proposal.undoes = Some(recorded.operation.clone());
        let flight = self.intend(&proposal, &operation, at, knowledge)?;
        Ok(Recorded { operation, proposal, knowledge, _flight: flight })
    }

    fn intend(
        &self,
        proposal: &Proposal,
        operation: &OperationId,
        at: String,
        knowledge: i64,
    ) -> Result<Flight, Refusal> {
        self.stay_alive().map_err(|error| self.nothing_sent(&error))?;
        let line = Line::Intent {
            v: VERSION,
            operation_id: operation.clone(),
            plan_id: proposal.plan.clone(),
            kind: proposal.kind,
            at,
            process: self.process.clone(),
            knowledge,
            fingerprint: proposal.fingerprint(),
            undoes: proposal.undoes.clone(),
            steps: proposal.steps.clone(),
        };
        held(&self.under_way).insert(operation.clone());
        let flight = Flight { operation: operation.clone(), under_way: self.under_way.clone() };
        self.append(&line).map_err(|error| self.nothing_sent(&error))?;
        Ok(flight)
    }

    fn nothing_sent(&self, error: &io::Error) -> Refusal {
        refuse!(
            "The journal cannot be written ({}), so nothing was sent to YNAB. Free or unlock its place{}, then call again.",
            worded(error),
            self.path().map(|path| format!(" ({})", path.display())).unwrap_or_default()
        )
    }

    /// The turn to write to YNAB, which one process has at a time until it is dropped or the process ends; `None` while
    /// another has it.
    pub fn turn(&self) -> Result<Option<Turn>, Refusal> {
        let Place::Disk { file, .. } = &self.place else { return Ok(Some(Turn { _lock: None })) };
        let tried = self.stay_alive().and_then(|()| {
            let mut options = OpenOptions::new();
            let lock = owner_only(options.create(true).write(true).truncate(false)).open(beside(file, "turn"))?;
            match lock.try_lock() {
                Ok(()) => Ok(Some(Turn { _lock: Some(lock) })),
                Err(fs::TryLockError::WouldBlock) => Ok(None),
                // Where files cannot be locked, processes are on their own.
                Err(fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    Ok(Some(Turn { _lock: None }))
                }
                Err(fs::TryLockError::Error(error)) => Err(error),
            }
        });
        tried.map_err(|error| self.nothing_sent(&error))
    }

    /// How long it is: another length says that someone wrote meanwhile.
    pub fn length(&self) -> u64 {
        match &self.place {
            Place::Disk { file, .. } => fs::metadata(file).map_or(0, |about| about.len()),
            Place::Memory(lines) => held(lines).len() as u64,
            Place::Nowhere => 0,
        }
    }

    /// Says what became of a step.
    pub fn settle(
        &self,
        operation: &OperationId,
        step: usize,
        state: StepState,
        landed: Landed,
        heard: Heard,
    ) -> Result<(), io::Error> {
        self.append(&Line::Step { v: VERSION, operation_id: operation.clone(), step, state, landed, heard })
    }

    /// Everything it holds. A file that is not there yet holds nothing.
    pub fn read(&self) -> Result<Contents, Refusal> {
        let cannot = |path: &Path, error: &io::Error| {
            refuse!(
                "The journal at {} cannot be read ({}): nothing can be undone until it can.",
                path.display(),
                worded(error)
            )
        };
        let mut reading = Reading::default();
        match &self.place {
            Place::Disk { file, python } => {
                if let Some(python) = python {
                    reading.take(python, &read_file(python).map_err(|error| cannot(python, &error))?);
                }
                reading.take(file, &read_file(file).map_err(|error| cannot(file, &error))?);
            }
            Place::Memory(lines) => reading.take(Path::new("memory"), &held(lines)),
            Place::Nowhere => {}
        }
        let under_way = held(&self.under_way).clone();
        Ok(reading.contents(|process| self.life(process), |operation| under_way.contains(operation)))
    }

    /// Lets go of what shows that this process lives, since it ends.
    pub fn leave(&self) {
        if let Some((path, _lock)) = held(&self.alive).take() {
            let _ = fs::remove_file(path);
        }
    }

    /// Whether an intent could be put on disk now. Writes no line.
    pub fn writable(&self) -> Result<(), Refusal> {
        let tried = self.stay_alive().and_then(|()| match &self.place {
            Place::Disk { file, .. } => is_there(file).and_then(|is_there| match is_there {
                true => OpenOptions::new().append(true).open(file).map(drop),
                false => Ok(()),
            }),
            Place::Nowhere => Err(io::Error::other("no home folder")),
            Place::Memory(_) => Ok(()),
        });
        tried.map_err(|error| {
            refuse!(
                "The journal{} cannot be written ({}), so no change can be made. Free or unlock its place, or choose another \
                 with AVENIR_MCP_JOURNAL.",
                self.path().map(|path| format!(" at {}", path.display())).unwrap_or_default(),
                worded(&error)
            )
        })
    }

    /// Holds this process's own file locked, so that others can tell that it lives; killed, it lets go of it.
    fn stay_alive(&self) -> io::Result<()> {
        let Place::Disk { file, .. } = &self.place else { return Ok(()) };
        let mut alive = held(&self.alive);
        if alive.is_none() {
            is_there(file)?;
            make_folder(file)?;
            let path = alive_path(file, &self.process);
            let mut options = OpenOptions::new();
            owner_only(options.create(true).write(true).truncate(false));
            let lock = options.open(&path)?;
            lock.try_lock().map_err(io::Error::from)?;
            *alive = Some((path, lock));
        }
        Ok(())
    }

    /// Whether the process that an intent names lives.
    fn life(&self, process: &str) -> Life {
        let Place::Disk { file, .. } = &self.place else { return Life::Here };
        if process == self.process {
            return Life::Here;
        }
        if process.is_empty() || !process.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Life::Ended;
        }
        match File::open(alive_path(file, process)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Life::Ended,
            Ok(lock) if lock.try_lock_shared().is_ok() => Life::Killed,
            _ => Life::Elsewhere,
        }
    }

    fn append(&self, line: &Line) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line).map_err(io::Error::other)?;
        bytes.push(b'\n');
        match &self.place {
            Place::Memory(lines) => {
                held(lines).extend_from_slice(&bytes);
                Ok(())
            }
            Place::Nowhere => Err(io::Error::other("no home folder: set AVENIR_MCP_JOURNAL")),
            Place::Disk { file, .. } => {
                make_folder(file)?;
                let is_new = !is_there(file)?;
                let mut options = OpenOptions::new();
                owner_only(options.create(true).read(true).append(true));
                let mut out = options.open(file)?;
                lock(&out)?;
                restrict(&out)?;
                // A line that a crash cut short stays as it is, on a line of its own.
                let end = out.seek(SeekFrom::End(0))?;
                if end > 0 {
                    let mut last = [0];
                    out.seek(SeekFrom::Start(end - 1))?;
                    out.read_exact(&mut last)?;
                    if last != *b"\n" {
                        bytes.insert(0, b'\n');
                    }
                }
                if let Err(error) = out.write_all(&bytes).and_then(|()| out.sync_all()) {
                    // Half a line on a full disk is taken back, so that nothing is taken for written.
                    let _ = out.set_len(end);
                    return Err(error);
                }
                if is_new {
                    sync_folder(file)?;
                }
                Ok(())
            }
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Where the process of an intent is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// This one.
    Here,
    /// Another that lives.
    Elsewhere,
    /// It ended in its own time.
    Ended,
    /// It was killed: what it held locked is free, and still there.
    Killed,
}

/// The lines read so far.
#[derive(Default)]
struct Reading {
    operations: Vec<Operation>,
    places: HashMap<OperationId, usize>,
    /// Beside each operation, where its intent came from.
    origins: Vec<Origin>,
    damaged: Vec<String>,
    torn: Vec<String>,
}

/// What an intent says beside its operation.
#[derive(Default)]
struct Origin {
    process: String,
    knowledge: i64,
    fingerprint: String,
    undoes: Option<OperationId>,
    unheard: bool,
}

impl Reading {
    fn take(&mut self, path: &Path, bytes: &[u8]) {
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if !self.line(line) {
                let place = format!("line {} of {}", number + 1, path.display());
                if is_torn(line) { self.torn.push(place) } else { self.damaged.push(place) }
            }
        }
    }

    fn line(&mut self, line: &[u8]) -> bool {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return false };
        if value.get("event").is_none() {
            return self.python_line(&value);
        }
        match serde_json::from_value(value) {
            Ok(Line::Intent {
                v: _,
                operation_id,
                plan_id,
                kind,
                at,
                process,
                knowledge,
                fingerprint,
                undoes,
                steps,
            }) => {
                if self.places.contains_key(&operation_id) {
                    return false;
                }
                let doubt = |step| Done { step, state: StepState::Doubt, landed: Landed::default() };
                let operation = Operation {
                    id: operation_id,
                    plan: plan_id,
                    kind,
                    at,
                    steps: steps.into_iter().map(doubt).collect(),
                    undone: Vec::new(),
                    closed: false,
                };
                self.put(operation, Origin { process, knowledge, fingerprint, undoes, unheard: false });
                true
            }
            Ok(Line::Step { v: _, operation_id, step, state, landed, heard }) => {
                let Some(place) = self.places.get(&operation_id).copied() else { return false };
                let Some(done) = self.operations[place].steps.get_mut(step) else { return false };
                done.state = state;
                done.landed = landed;
                self.origins[place].unheard |= heard == Heard::Perhaps && state == StepState::Applied;
                true
            }
            Err(_) => false,
        }
    }

    fn python_line(&mut self, value: &Value) -> bool {
        if let Some(id) = value.get("undone").and_then(Value::as_str) {
            let Some(place) = self.places.get(&OperationId::from(id)) else { return false };
            self.operations[*place].closed = true;
            return true;
        }
        match legacy::operation(value) {
            Some(operation) if !self.places.contains_key(&operation.id) => {
                self.put(operation, Origin::default());
                true
            }
            _ => false,
        }
    }

    fn put(&mut self, operation: Operation, origin: Origin) {
        self.places.insert(operation.id.clone(), self.operations.len());
        self.operations.push(operation);
        self.origins.push(origin);
    }

    fn contents(self, life: impl Fn(&str) -> Life, is_under_way: impl Fn(&OperationId) -> bool) -> Contents {
        let Self { operations, places, origins, damaged, torn } = self;
        let mut contents = Contents { damaged, torn, ..Contents::default() };
        let mut lives: HashMap<&str, Life> = HashMap::new();
        let mut life_of = |process| *lives.entry(process).or_insert_with(|| life(process));
        // The last operation of each process: if it was killed, nobody may have heard of that one.
        let last: HashMap<&str, usize> =
            origins.iter().enumerate().map(|(place, origin)| (origin.process.as_str(), place)).collect();
        let unheard: Vec<bool> = origins
            .iter()
            .enumerate()
            .map(|(place, origin)| {
                let process = origin.process.as_str();
                origin.unheard
                    || (last.get(process) == Some(&place)
                        && operations[place].steps.iter().any(|done| done.state == StepState::Applied)
                        && life_of(process) == Life::Killed)
            })
            .collect();
        let mut undone: HashMap<OperationId, Vec<Done>> = HashMap::new();
        for (operation, origin) in operations.iter().zip(&origins) {
            let in_doubt = operation.steps.iter().any(|done| done.state == StepState::Doubt);
            let is_open = in_doubt
                && match life_of(&origin.process) {
                    Life::Here => !is_under_way(&operation.id),
                    Life::Elsewhere => false,
                    Life::Ended | Life::Killed => true,
                };
            if is_open {
                contents.doubtful.push(Doubtful {
                    operation: operation.clone(),
                    undoes: origin.undoes.clone(),
                    knowledge: origin.knowledge,
                });
            }
            if let Some(id) = origin.undoes.as_ref().filter(|id| places.contains_key(*id)) {
                undone.entry(id.clone()).or_default().extend(operation.steps.iter().cloned());
            }
        }
        for ((mut operation, origin), unheard) in operations.into_iter().zip(origins).zip(unheard) {
            operation.undone = undone.remove(&operation.id).unwrap_or_default();
            if unheard && operation.undone.is_empty() {
                let applied = |done: &Done| done.state == StepState::Applied && done.landed.missed.is_empty();
                let whole = operation.steps.iter().all(applied);
                contents.unheard.insert(origin.fingerprint, Unheard { operation: operation.id.clone(), whole });
            } else {
                // The same change made again since: whoever asked for it has heard of one.
                contents.unheard.remove(&origin.fingerprint);
            }
            if origin.undoes.is_none() {
                contents.operations.push(operation);
            }
        }
        contents
    }
}

/// Whether a line is the beginning of one of this server's, cut short. One of the Python server's was written after its
/// change, so that losing it loses something.
fn is_torn(line: &[u8]) -> bool {
    const BEGINNING: &[u8] = br#"{"event":""#;
    let beginning = &line[..line.len().min(BEGINNING.len())];
    let is_cut = || matches!(serde_json::from_slice::<Value>(line), Err(error) if error.is_eof());
    BEGINNING.starts_with(beginning) && is_cut()
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn alive_path(file: &Path, process: &str) -> PathBuf {
    beside(file, &format!("{process}.alive"))
}

/// The journal's path with another ending.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    file.with_file_name(name)
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_there(path)? {
        let mut file = File::open(path)?;
        lock_shared(&file)?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Whether there is a file; an error where there is something else. A device or a pipe holds no journal: it could be read
/// without end, and opening a pipe may wait for ever.
fn is_there(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(true),
        Ok(about) if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => Err(io::Error::other("it is not a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn lock(file: &File) -> io::Result<()> {
    wait_for(|| file.try_lock())
}

fn lock_shared(file: &File) -> io::Result<()> {
    wait_for(|| file.try_lock_shared())
}

fn wait_for(attempt: impl Fn() -> Result<(), fs::TryLockError>) -> io::Result<()> {
    let end = Instant::now() + LOCK_WAIT_MAX;
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(fs::TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            Err(fs::TryLockError::WouldBlock) => return Err(io::Error::other("another process holds it")),
            Err(fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn make_folder(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// A journal that others could read is closed to them.
fn restrict(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode();
        if mode & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

fn sync_folder(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// An error of the disk in a person's words.
fn worded(error: &io::Error) -> String {
    use io::ErrorKind::*;
    match error.kind() {
        PermissionDenied => "access is denied".into(),
        StorageFull | QuotaExceeded => "the disk is full".into(),
        ReadOnlyFilesystem => "the disk is read-only".into(),
        NotADirectory | AlreadyExists => "part of its path is not a folder".into(),
        NotFound => "its folder does not exist".into(),
        IsADirectory => "it is a folder".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
