//! A page on this machine for what is easier seen than read.
//!
//! The page knows nothing about skills: it asks an [`Engine`], whose answers are the JSON that the
//! command prints, and draws them. [`App`] is the whole service as a value; it needs no socket.
//!
//! ```
//! use prowess_ui::{Engine, Fault, Question};
//!
//! struct Nothing;
//! impl Engine for Nothing {
//!     fn answer(&self, question: &Question) -> Result<String, Fault> {
//!         match question {
//!             Question::List { .. } => Ok(r#"{"skills": [], "diagnostics": []}"#.to_owned()),
//!             _ => Err(Fault::missing("there is nothing here")),
//!         }
//!     }
//! }
//! ```

pub use app::{App, Options};
pub use export::export;
pub use feed::Feed;
pub use markdown::blocks;
pub use question::{Choice, Engine, Fault, Question};
pub use secret::Secret;

// What is asked, and what is shown.
pub mod assets;
mod markdown;
mod question;

// The page without a server.
mod export;

// Who may ask.
mod secret;

// The server.
mod app;
mod feed;
