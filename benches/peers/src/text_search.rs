//! The search library tantivy over the same skills: in memory, one segment, the same fields.

use std::{error::Error, fs, hint::black_box};

use tantivy::{
    Index, IndexWriter, Searcher, TantivyDocument, Term,
    collector::TopDocs,
    query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery},
    schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{
        Language, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer, TokenStream,
    },
};

use crate::{measure::QueryCost, ours};

/// The fields and what a word counts in each, as `lexical` has them.
const FIELDS: [(&str, f32); 4] = [
    ("name", 8.0),
    ("description", 3.5),
    ("tags", 4.0),
    ("body", 0.7),
];

/// Room for building; a full arena is written out as a segment.
const ARENA: usize = 1 << 29;

/// As many as ours is asked for.
const MATCHES: usize = 10;

/// Answers each line of a file.
pub(crate) fn select(dir: &str, queries: &str, repeats: usize) -> Result<QueryCost, Box<dyn Error>> {
    let queries = fs::read_to_string(queries)?;
    let (search, skills) = Search::build(dir)?;
    search.answer("first")?;
    Ok(QueryCost::of(skills, &queries, repeats, |query| {
        search.answer(query).expect("a request is answered")
    }))
}

struct Search {
    searcher: Searcher,
    fields: Vec<(Field, f32)>,
    analyzer: TextAnalyzer,
}

impl Search {
    fn build(dir: &str) -> Result<(Self, usize), Box<dyn Error>> {
        let analyzer = TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(LowerCaser)
            .filter(StopWordFilter::new(Language::English).ok_or("no stop words")?)
            .filter(Stemmer::new(Language::English))
            .build();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("english")
            .set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(indexing);
        let mut schema = Schema::builder();
        let fields: Vec<(Field, f32)> = FIELDS
            .iter()
            .map(|(name, boost)| (schema.add_text_field(name, options.clone()), *boost))
            .collect();
        let index = Index::create_in_ram(schema.build());
        index.tokenizers().register("english", analyzer.clone());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, ARENA)?;
        let catalog = ours::catalog(dir);
        for skill in catalog.skills() {
            let mut document = TantivyDocument::default();
            document.add_text(fields[0].0, skill.name());
            document.add_text(fields[1].0, skill.description());
            for tag in skill.tags() {
                document.add_text(fields[2].0, tag);
            }
            document.add_text(fields[3].0, skill.instructions());
            writer.add_document(document)?;
        }
        let skills = catalog.skills().len();
        drop(catalog);
        writer.commit()?;
        // One segment is answered fastest.
        writer.merge(&index.searchable_segment_ids()?).wait()?;
        writer.wait_merging_threads()?;
        let searcher = index.reader()?.searcher();
        let search = Self {
            searcher,
            fields,
            analyzer,
        };
        Ok((search, skills))
    }

    /// Reads the request and finds the best, as many as there are.
    fn answer(&self, query: &str) -> tantivy::Result<usize> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut analyzer = self.analyzer.clone();
        analyzer.token_stream(query).process(&mut |token| {
            for (field, boost) in &self.fields {
                let term = Term::from_field_text(*field, &token.text);
                let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
                let boosted = BoostQuery::new(Box::new(term), *boost);
                clauses.push((Occur::Should, Box::new(boosted)));
            }
        });
        let query = BooleanQuery::new(clauses);
        let found = self
            .searcher
            .search(&query, &TopDocs::with_limit(MATCHES).order_by_score())?;
        Ok(black_box(found).len())
    }
}
