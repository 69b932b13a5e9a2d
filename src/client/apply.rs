//! Owns sending a recorded change to YNAB: the only function that does. Never sends anything that is not recorded,
//! never twice what may have arrived, and never calls a lost answer a failure.

use super::error::{ApplyError, Error, Why};
use super::retry::Sends;
use super::scope::Scope;
use super::step::{Answer, Request, read_back};
use super::{Client, Known};
use crate::journal::Recorded;
use crate::writes::Landed;

/// While this lives, and once it is gone, nothing read before counts as fresh.
struct Changing<'a>(&'a Client, &'a Known);

impl<'a> Changing<'a> {
    fn new(client: &'a Client, known: &'a Known) -> Self {
        client.soil(known);
        Self(client, known)
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.soil(self.1);
    }
}

impl Client {
    /// Sends one step of a recorded change and compares YNAB's answer with what was asked. Once sent it is awaited to
    /// its end, whether or not the call is cancelled.
    pub async fn apply(&self, scope: &Scope, recorded: &Recorded, step: usize) -> Result<Landed, ApplyError> {
        let (request, step) = Request::change(recorded, step).map_err(ApplyError::Refused)?;
        let known = self.known(recorded.plan());
        let _changing = Changing::new(self, &known);
        let answer = self.send(scope, &request, Sends::Change, |reply| read_back(step, &reply.body)).await;
        let error = |why| Error::new(request.doing(), why);
        match answer {
            Ok(Answer::Landed(landed)) => Ok(landed),
            Ok(Answer::Other) => Err(ApplyError::Doubt(error(Why::NotAsAsked))),
            Err(failed) if failed.arrived => Err(ApplyError::Doubt(error(failed.why))),
            Err(failed) => Err(ApplyError::Refused(error(failed.why))),
        }
    }
}
